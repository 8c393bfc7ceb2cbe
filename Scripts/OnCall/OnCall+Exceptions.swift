import FoundationEssentials
import Heybot
import HeybotDates

extension OnCall {
    func registerExceptions(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:@?(?<who>(?!(?:who|remind|every)\b)\S[^?]{0,99}?) (?:is|am)|i['’]m) on[ -]?call(?<rest> [^?]*)?$/,
            help: """
                <name> is on call for <rota> until <day and time> - Put a person on call out of turn
                <name> is on call for <rota> from <day and time> until <day and time> - The same, later
                <name> isn't on call for <rota> - Let the rota decide again who is on call
                """,
            example: "ada is on call for ops until friday 9:00"
        ) { res in
            let request = try OverrideRequest((res.match.rest ?? "").drop { $0 == " " })
            let book = RotaBook(brain: res.brain)
            let (name, rota) = try await book.rota(named: request.rota)
            try await Self.refuseOutsiders(of: rota, named: name, res)
            let user = try await Self.person(res.match.who ?? "me", of: rota, res)
            let now = res.robot.date
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let (start, end) = try request.period(at: now, in: zone, usual: rota.start.minutes)
            let exception = Rota.Override(user: user, start: start, end: end)
            let changed = try await book.change(name) { try $0.overriding(with: [exception], at: now) }
            let remarks = await Self.remarks(about: rota.has(user.id) ? [] : [user], res.robot)
            guard start > now else {
                let description = RotaDescription(name: name, rota: changed, date: now, zone: zone)
                try await res.reply("OK. \(description.sentence)\(remarks)")
                return
            }
            let (first, last) = (RotaDescription.time(start, in: zone), RotaDescription.time(end, in: zone))
            try await res.reply("OK. \(user.shortName) is on call for \(name) from \(first) until \(last).\(remarks)")
        }

        robot.respond(
            /(?:@?(?<who>(?!(?:remind|every)\b)\S[^?]{0,99}?) (?:isn['’]t|is not|is no longer|am not)|i['’]m not) on[ -]?call(?: (?:for|in) (?<name>[\w-]{1,40}))?(?: any ?more)?$/
        ) { res in
            let book = RotaBook(brain: res.brain)
            let (name, rota) = try await book.rota(named: res.match.name)
            try await Self.refuseOutsiders(of: rota, named: name, res)
            let user = try await Self.person(res.match.who ?? "me", of: rota, res)
            let now = res.robot.date
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let changed = try await book.change(name) { try $0.cancelingOverrides(with: user, at: now, in: zone) }
            let description = RotaDescription(name: name, rota: changed, date: now, zone: zone)
            try await res.reply("OK. \(description.sentence)")
        }

        robot.respond(
            /swap (?<one>\S.{0,99}?) (?:and|with) (?<other>\S.{0,99}?)(?: (?:in|for|on) (?<name>[\w-]{1,40}))?$/,
            help: "swap <name> and <name> in <rota> - Exchange the next shifts of two people",
            example: "swap ada and grace in ops"
        ) { res in
            let book = RotaBook(brain: res.brain)
            let (name, rota) = try await book.rota(named: res.match.name)
            try await Self.refuseOutsiders(of: rota, named: name, res)
            let one = try await Self.person(res.match.one, of: rota, res)
            let other = try await Self.person(res.match.other, of: rota, res)
            let now = res.robot.date
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let changed = try await book.change(name) { try $0.swapping(one, other, at: now, in: zone) }
            let exchanged = changed.overrides.suffix(2).map { shift in
                "\(shift.user.shortName) until \(RotaDescription.time(shift.end, in: zone))"
            }
            try await res.reply("OK. \(name): \(exchanged.joined(separator: ", ")).")
        }
    }
}
