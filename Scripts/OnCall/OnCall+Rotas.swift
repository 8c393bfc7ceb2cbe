import FoundationEssentials
import Heybot

extension OnCall {
    func registerRotas(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        registerShowing(zones, on: &robot)

        robot.respond(
            /on[ -]?call rota (?<name>[\w-]{1,40}): *(?<definition>\S[\s\S]*)$/,
            help: """
                on call rota <name>: <people> weekly from <day and time> - Make a rota, whose people take turns; \
                instead of weekly, say daily or every <n> days or weeks
                """,
            example: "on call rota ops: ada, grace weekly from monday 9:00", allow: .admins
        ) { res in
            let definition = try RotaDefinition(res.match.definition)
            var people: [User] = []
            for name in definition.names {
                let user = try await Self.user(name, res)
                guard !people.contains(where: { $0.id == user.id }) else {
                    throw Refusal("\(user.shortName) is in that list twice.")
                }
                people.append(user)
            }
            let room = res.message.room.id
            let zone = try await zones.zone(ofRoom: room, res.brain)
            let start = try definition.beginning(at: zone.moment(at: res.robot.date))
            let rota = Rota(people: people, days: definition.days, start: start, room: room)
            let name = res.match.name.lowercased()
            try await RotaBook(brain: res.brain).set(rota, named: name)
            let description = RotaDescription(name: name, rota: rota, date: res.robot.date, zone: zone)
            let remarks = await Self.remarks(about: people, res.robot)
            try await res.reply("\(description.sentence)\(remarks)")
        }

        robot.respond(
            /add (?<who>\S.{0,99}?) to (?:the )?on[ -]?call rota (?<name>[\w-]{1,40})$/,
            help: "add <name> to on call rota <rota> - Add a person, whose turn comes last",
            example: "add bob to on call rota ops", allow: .admins
        ) { res in
            let book = RotaBook(brain: res.brain)
            let (name, rota) = try await book.rota(named: res.match.name)
            let user = try await Self.user(res.match.who, res)
            let now = res.robot.date
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let changed = try await book.change(name) { try $0.adding(user, at: now, in: zone) }
            let description = RotaDescription(name: name, rota: changed, date: now, zone: zone)
            let remarks = await Self.remarks(about: [user], res.robot)
            try await res.reply("\(user.shortName) is in \(name) now. \(description.sentence)\(remarks)")
        }

        robot.respond(
            /remove (?<who>\S.{0,99}?) from (?:the )?on[ -]?call rota (?<name>[\w-]{1,40})$/,
            help: "remove <name> from on call rota <rota> - Remove a person; the next one takes over their turn",
            example: "remove grace from on call rota ops", allow: .admins
        ) { res in
            let book = RotaBook(brain: res.brain)
            let (name, rota) = try await book.rota(named: res.match.name)
            let user = try await Self.person(res.match.who, of: rota, res)
            let now = res.robot.date
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let changed = try await book.change(name) { try $0.removing(user, at: now, in: zone) }
            let description = RotaDescription(name: name, rota: changed, date: now, zone: zone)
            try await res.reply("\(user.shortName) isn't in \(name) any more. \(description.sentence)")
        }

        robot.respond(
            /(?:remove|delete|forget) (?:the )?on[ -]?call rota (?<name>[\w-]{1,40})$/,
            help: "remove on call rota <name> - Remove a rota", example: "remove on call rota ops", allow: .admins
        ) { res in
            let book = RotaBook(brain: res.brain)
            let (name, _) = try await book.rota(named: res.match.name)
            try await book.remove(name)
            try await res.reply("I've removed the rota \(name). Pages that are open go on until someone acks them.")
        }
    }

    private func registerShowing(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /who(?:['’]s| is) on[ -]?call(?: now)?(?: (?:for|in) (?<name>[\w-]{1,40}))?(?: now)?\?*$/,
            help: """
                who is on call - Say who is on call, and who is next
                who is on call for <rota> - Say who is on call for one rota
                """,
            example: "who is on call for ops?"
        ) { res in
            let book = RotaBook(brain: res.brain)
            let rotas: [(name: String, rota: Rota)] =
                if let name = res.match.name { [try await book.rota(named: name)] } else { try await book.all() }
            guard !rotas.isEmpty else { throw RotaBook.noRota }
            var sentences: [String] = []
            for (name, rota) in rotas {
                let zone = try await zones.zone(ofRoom: rota.room, res.brain)
                let description = RotaDescription(name: name, rota: rota, date: res.robot.date, zone: zone)
                sentences.append(description.sentence)
            }
            try await res.send(sentences.joined(separator: "\n"))
        }

        robot.respond(
            /(?:list |show )?(?:the )?on[ -]?call rotas\?*$/, help: "on call rotas - List the rotas and their people",
            example: "on call rotas"
        ) { res in
            let rotas = try await RotaBook(brain: res.brain).all()
            guard !rotas.isEmpty else { throw RotaBook.noRota }
            let lines = rotas.map { name, rota in
                "\(name): \(rota.people.map(\.shortName).joined(separator: ", "))"
            }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(
            /(?:show )?(?:the )?on[ -]?call rota (?<name>[\w-]{1,40})\?*$/,
            help: "on call rota <name> - Show a rota's people and its next shifts", example: "on call rota ops"
        ) { res in
            let (name, rota) = try await RotaBook(brain: res.brain).rota(named: res.match.name)
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let description = RotaDescription(name: name, rota: rota, date: res.robot.date, zone: zone)
            try await res.send(description.lines.joined(separator: "\n"))
        }
    }
}
