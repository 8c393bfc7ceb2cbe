import FoundationEssentials
public import Heybot

/// Says when somebody was last seen, and who was in a room today.
///
/// Neither what users say nor direct messages are noted. Sightings are written to the brain once a minute: a crash loses those of
/// the last minute.
public struct Seen: Script {
    private static let mostNames = 40
    private static let mostNetworks = 3

    public init() {}

    public var topic: ScriptTopic { .people }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        let log = SightingLog()
        registerNoting(log, zones, on: &robot)
        registerQuestions(log, zones, on: &robot)
        registerWishes(log, on: &robot)
    }

    private func registerNoting(_ log: SightingLog, _ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.observe { message, robot in
            if let sighting = Sighting(of: message, at: robot.date) { log.record(sighting) }
            return nil
        }
        robot.accompany(
            with: RobotCompanion(
                // If it fails, the next minute's run does it, and reports the error.
                start: { try? await SightingRecords(brain: $0.brain).readOptOuts(log) },
                stop: { try? await SightingRecords(brain: $0.brain).write(log, at: $0.date, zones) }))
        robot.every(.minutes(1)) { robot in
            try await SightingRecords(brain: robot.brain).write(log, at: robot.date, zones)
        }
        robot.every(.hours(24)) { robot in
            try await SightingRecords(brain: robot.brain).removeOldPeople(log, at: robot.date)
        }
    }

    // MARK: Questions

    private func registerQuestions(_ log: SightingLog, _ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:have you seen|when did you (?:last )?see|last saw|last seen|seen) @?(?<name>["“][^"”]{1,200}["”]|[^\s?"“]{1,400})(?: (?:lately|recently|around))?\?*$/,
            help: "seen <name> - Say when I last saw someone", example: "seen ada"
        ) { res in try await Self.show(res.match.name, log, zones, res) }

        robot.respond(
            /when was @?(?<name>["“][^"”]{1,200}["”]|[^\s?"“]{1,400}) (?:last )?(?:seen|here|around|active)\?*$/
        ) { res in try await Self.show(res.match.name, log, zones, res) }

        robot.respond(
            /who (?:was|has been) (?:here|around)(?: (?<day>today|yesterday))?\?*$/,
            help: """
                who was here today - List the people I've seen in this room today
                who was here yesterday - List the people I've seen in this room yesterday
                """,
            example: "who was here today?"
        ) { res in
            let zone = try await zones.zone(ofRoom: res.message.room.id, res.brain)
            let visits = try await SightingRecords(brain: res.brain).visits(in: res.message.room.id, log, zone)
            let isYesterday = res.match.day?.lowercased() == "yesterday"
            let day = zone.day(of: res.robot.date) - (isYesterday ? 1 : 0)
            try await Self.list(visits.names(on: day), isYesterday ? "Yesterday" : "Today", res)
        }

        // Hubot's words for that.
        robot.respond(/seen in (?:the )?last (?:24 ?h(?:ours?)?|day)\?*$/) { res in
            let zone = try await zones.zone(ofRoom: res.message.room.id, res.brain)
            let visits = try await SightingRecords(brain: res.brain).visits(in: res.message.room.id, log, zone)
            let names = visits.names(since: res.robot.date.addingTimeInterval(-86_400))
            try await Self.list(names, "In the last 24 hours", res)
        }
    }

    private static func list<Match>(_ names: [String], _ time: String, _ res: Response<Match>) async throws {
        guard !names.isEmpty else { throw Refusal("\(time) I've seen nobody here.") }
        let others = names.count - mostNames
        let list = names.prefix(mostNames).joined(separator: ", ")
        try await res.send("\(time) I've seen \(list)\(others > 0 ? " and \(others) others" : "") here.")
    }

    private static func show<Match>(
        _ typed: Substring, _ log: SightingLog, _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws {
        let name = String(oneLine: typed.unquoted, limit: 200)
        let folded = name.lowercased()
        guard !Robot.isAsker(name) else { throw Refusal("I can see you right now.") }
        let own: [String?] = [res.robot.name, res.robot.alias, "you", "yourself"]
        guard !own.contains(where: { $0?.lowercased() == folded }) else { throw Refusal("I'm right here.") }
        let found = try await sightings(of: name, log, res)
        let present = await present(folded, res)
        let zone = try await zones.zone(for: res.message, res.brain)
        let now = FormattedLocalTime(res.robot.date, in: zone)
        var networks: Set<String> = []
        var lines: [String] = []
        // Of several users with the same name on a network, only the one who was seen last.
        for sighting in found where networks.insert(sighting.user.id.adapter).inserted {
            let time = FormattedLocalTime(sighting.date, in: zone).adverb(at: now)
            let isHere = present.contains { $0.id == sighting.user.id }
            lines.append(sentence(sighting, isHere: isHere, time, res.message.room))
        }
        if lines.isEmpty, let user = present.first { lines = ["\(user.name) is here."] }
        guard lines.isEmpty else {
            try await res.send(lines.prefix(mostNetworks).joined(separator: "\n"))
            return
        }
        let shown = String(oneLine: name, limit: 40)
        let isOptedOut = log.optedOut.ids.contains { user in
            user.value.lowercased() == folded || user.description.lowercased() == folded
        }
        throw Refusal(isOptedOut ? "\(shown) doesn't want me to note that." : "I haven't seen \(shown) yet.")
    }

    /// Returns the last sightings of the users who have a name or an id, and of their linked accounts, the latest first.
    private static func sightings<Match>(
        of name: String, _ log: SightingLog, _ res: Response<Match>
    ) async throws -> [Sighting] {
        let records = SightingRecords(brain: res.brain)
        let found = try await records.last(of: name, log)
        guard res.robot.hasLinkedAccounts else { return found }
        var all = found
        for sighting in found {
            for account in res.robot.accounts(of: sighting.user).dropFirst() {
                guard !all.contains(where: { $0.user.id == account.id }),
                    let other = try await records.last(of: account.id, log)
                else { continue }
                // Not everybody may know the other name.
                all.append(other.named(sighting.user.name))
            }
        }
        return all.sorted { $0.date > $1.date }
    }

    /// Returns the users with a name who are in the message's room now, if the adapter knows.
    private static func present<Match>(_ folded: String, _ res: Response<Match>) async -> [User] {
        let adapter = res.robot.adapters.first { $0.name == res.message.room.id.adapter } as? any MemberListing
        let users = await adapter?.users(in: res.message.room) ?? []
        return users.filter { $0.name.lowercased() == folded || $0.id.value.lowercased() == folded }
    }

    /// Other rooms aren't named: not everybody may know them, and who is there.
    private static func sentence(_ sighting: Sighting, isHere: Bool, _ time: String, _ room: Room) -> String {
        let name = sighting.user.name
        if isHere {
            return sighting.action == .spoke ? "\(name) is here, and last spoke \(time)." : "\(name) is here."
        }
        guard sighting.room == room.id else {
            let network = sighting.user.id.adapter
            let place = network == room.id.adapter ? "" : " on \(network)"
            return "I last saw \(name)\(place) \(time), but not here."
        }
        switch sighting.action {
        case .spoke: return "\(name) last spoke here \(time)."
        case .entered: return "I last saw \(name) here \(time)."
        case .left: return "\(name) left here \(time)."
        }
    }

    // MARK: Wishes

    private func registerWishes(_ log: SightingLog, on robot: inout RobotBuilder) {
        robot.respond(
            /(?<not>don['’]t |do not |stop )?track(?:ing)? me(?: again)?$/,
            help: """
                don't track me - Don't note when I see you, and forget when I have
                track me - Note again when I see you
                """,
            example: "don't track me"
        ) { res in
            let users = try await Self.accounts(res)
            let records = SightingRecords(brain: res.brain)
            if res.match.not == nil {
                try await records.optIn(users, log)
                try await res.reply("OK, from now on I note when I see you.")
            } else {
                try await records.optOut(users, log, at: res.robot.date)
                try await res.reply(
                    "OK. I've forgotten when I saw you, and don't note it any more. To change that, say \"track me\".")
            }
        }

        robot.respond(
            /forget me$/, help: "forget me - Forget when and where I've seen you", example: "forget me"
        ) { res in
            let accounts = try await Self.accounts(res)
            try await SightingRecords(brain: res.brain).forget(accounts, log)
            try await ReminderDelivery(robot: res.robot).forgetLast(of: accounts)
            try await res.reply("I've forgotten when I saw you. So that I don't note it again, say \"don't track me\".")
        }
    }

    /// Returns the message's author on all networks on which they are known.
    private static func accounts<Match>(_ res: Response<Match>) async throws -> Set<User> {
        Set(try await PersonalAccounts(brain: res.brain).all(of: res.message.user))
    }
}
