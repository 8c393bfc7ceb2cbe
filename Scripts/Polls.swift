import FoundationEssentials
public import Heybot

/// Asks a room to vote, and posts the result.
///
/// The brain stores the polls with their votes, so they survive a restart; a scheduled timer ends each.
public struct Polls: Script {
    /// A poll that ends, and its room.
    struct Ending: Codable, Hashable, Sendable {
        let room: Room.ID
        let poll: String
    }

    static let ended = ScheduledJob<Ending>("polls.ended")
    /// The length of a poll whose author names no end, in seconds.
    private static let usualLength = 86_400.0
    private static let longest = 90 * 86_400.0
    /// How often the robot tries to post a result: for some 17 hours.
    private static let attempts = 24

    public init() {}

    public var topic: ScriptTopic { .people }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        registerPolling(zones, on: &robot)
        registerVoting(zones, on: &robot)

        let script = name
        robot.on(
            Self.ended, attempts: Self.attempts,
            gaveUp: { timer, _, robot in
                try await PollBook(brain: robot.brain).finish(timer.payload.poll, in: timer.payload.room)
            }
        ) { timer, robot in
            let (room, id) = (timer.payload.room, timer.payload.poll)
            let book = PollBook(brain: robot.brain)
            guard let poll = try await book.polls(in: room).first(where: { $0.id == id }) else { return }
            try await robot.post(poll.result, in: room, for: script)
            try await book.finish(id, in: room)
        }
    }

    private func registerPolling(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:start (?:an? )?)?(?<kind>(?:secret|anonymous|open) )?poll (?<order>\S.*)$/,
            help: """
                poll <question>: <a>, <b> - Ask this room to vote; the poll ends after a day
                poll <question> until <time>: <a>, <b> - Ask until a time, or "for 20 minutes"
                secret poll <question>: <a>, <b> - Ask for votes in private, and post only their numbers
                """,
            example: "poll lunch: pizza, curry"
        ) { res in
            let room = res.message.room
            guard !res.robot.isConversation(room) else { throw Refusal("Start polls in the room that is to vote.") }
            let kind = res.match.kind?.lowercased() ?? ""
            let isSecret = kind.hasPrefix("secret") || kind.hasPrefix("anonymous")
            let members = res.robot.adapter(of: res.message.room, as: (any MemberListing).self)
            guard !isSecret || res.message.room.isPrivate || members != nil else {
                throw Refusal("I can't see who is in this room, so nobody could vote in private. Start an open poll.")
            }
            let zone = try await zones.zone(for: res.message, res.brain)
            let now = res.robot.date
            let order = try PollOrder(res.match.order, isSecret: isSecret, in: zone, at: now)
            let end = order.end ?? now + Self.usualLength
            guard end.timeIntervalSince(now) <= Self.longest else { throw Refusal("A poll can last up to 90 days.") }
            let id = String(res.random(in: 0...Int.max), radix: 36)
            let author = res.message.user
            // Before the poll, so that there is no poll without an end.
            let timer = try await res.robot.schedule(
                Self.ended, Ending(room: room.id, poll: id), id: id, needing: room.id.adapter, at: end)
            do {
                let added = try await PollBook(brain: res.brain).add(to: room.id, at: now) { number in
                    Poll(order, id: id, number: number, author: author, end: end)
                }
                let time = RotaDescription.time(end, in: zone)
                let place = res.robot.displayName(of: room.id)
                try await res.send(added.poll.announcement(until: time, in: place, isOnly: added.isOnly))
            } catch let refusal as Refusal {
                try await res.robot.cancelTimer(timer, of: Self.ended)
                throw refusal
            }
        }

        robot.respond(
            /(?:end|close|stop|finish) (?:the |my )?poll(?: #?(?<number>[0-9]{1,3}))?(?: in (?<room>\S+))?$/,
            help: """
                end poll - End the poll in this room and post its result; only for its author and my admins
                end poll <number> - End one of several polls
                end poll in <room> - End a poll from elsewhere
                """,
            example: "end poll 1"
        ) { res in
            let (user, now) = (res.message.user, res.robot.date)
            let isAdmin = res.robot.isAdmin(user)
            let number = res.match.number.flatMap { Int($0) }
            let command = number.map { "end poll \($0)" } ?? "end poll"
            let room = try await Self.room(res.match.room, poll: number, for: command, res)
            let (poll, _) = try await PollBook(brain: res.brain).change(number, in: room, at: now) { poll in
                guard poll.mayBeEnded(by: user, isAdmin: isAdmin) else {
                    throw Refusal("Only \(poll.author.shortName) and my admins may end poll \(poll.number).")
                }
                poll.close(at: now)
            }
            // The timer posts the result, so that it is posted once, whatever happens now.
            try await res.robot.schedule(
                Self.ended, Ending(room: room, poll: poll.id), id: poll.id, needing: room.adapter, at: now)
            try await res.reply("OK, I'm counting the votes of poll \(poll.number).")
        }
    }

    private func registerVoting(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /vote (?:for )?(?:#?(?<number>[0-9]{1,3})(?: in poll #?(?<poll>[0-9]{1,3}))?(?: in (?<room>\S+))?|(?<choice>\S.*))$/,
            help: """
                vote <number> - Vote in this room's poll, or change your vote
                vote <number> in poll <poll> - Vote in one of several polls
                vote <number> in <room> - Vote from elsewhere; in a secret poll, nobody sees what you vote for
                """,
            example: "vote 2"
        ) { res in
            let (user, origin, now) = (res.message.user, res.message.origin, res.robot.date)
            let named = try await Self.namedChoice(res.match.choice ?? "", at: now, res)
            var which = res.match.poll.flatMap { Int($0) } ?? named.poll
            let command = which.map { "vote 1 in poll \($0)" } ?? "vote 1"
            let room = try await Self.room(res.match.room ?? named.room, poll: which, for: command, res)
            let isPrivate = res.message.room.isPrivate
            let number = res.match.number.flatMap { Int($0) }
            let name = named.name
            let place = res.robot.displayName(of: room)
            let book = PollBook(brain: res.brain)
            if let result = try await book.result(which, in: room, at: now) {
                try await res.reply(result)
                return
            }
            if which == nil, number == nil {
                // The only open poll that has such a choice is meant.
                let open = try await book.polls(in: room).filter { $0.isOpen(at: now) }
                let meant = open.filter { (try? $0.choice(named: name)) != nil }
                if meant.count == 1 { which = meant.first?.number }
            }
            let voted = try await book.change(which, in: room, at: now) { poll in
                guard !poll.isSecret || isPrivate else {
                    throw Refusal("Poll \(poll.number) is secret. Vote in private: vote <number> in \(place)")
                }
                let choice: Int
                if let number {
                    choice = try poll.choice(number: number)
                } else {
                    choice = try poll.choice(named: name)
                }
                return (choice: choice, former: try poll.vote(for: choice, by: user, from: origin))
            }
            let vote = voted.result
            try await res.reply(voted.poll.confirmation(of: vote.choice, former: vote.former))
        }

        robot.respond(
            /(?:(?:list|show) )?(?:the )?(?:polls in (?<room>\S+)|polls?\??)$/,
            help: """
                polls - Show the open polls in this room
                polls in <room> - Show the open polls in another room that you are in
                """,
            example: "polls"
        ) { res in
            let room = try await Self.room(res.match.room, for: "polls", res)
            let now = res.robot.date
            let open = try await PollBook(brain: res.brain).polls(in: room).filter { $0.isOpen(at: now) }
            guard !open.isEmpty else {
                throw Refusal("No poll is open here. To start one, say: poll lunch: pizza, curry")
            }
            let zone = try await zones.zone(for: res.message, res.brain)
            let states = open.map { $0.state(until: RotaDescription.time($0.end, in: zone)) }
            try await res.send(states.joined(separator: "\n"))
        }
    }

    /// Returns the choice that some words name, and its room if they end with the full or the short name of one.
    ///
    /// If a poll here or in that room has the choice `stay in dev`, that isn't the choice `stay` of the room `dev`.
    private static func namedChoice<Match>(
        _ typed: Substring, at date: Date, _ res: Response<Match>
    ) async throws -> NamedChoice {
        var named = NamedChoice(typed)
        let other = NamedChoice(typed, hasShortRoom: true)
        guard named.room == nil, let room = other.room else { return named }
        let meant = try await rooms(withShortName: String(room), res)
        let isHere = try await hasChoice(named.name, in: res.message.room.id, at: date, res)
        if meant.isEmpty || isHere { return named }
        for place in meant {
            guard try await hasChoice(named.name, in: place, at: date, res) else { continue }
            named.room = room
            return named
        }
        return other
    }

    /// Whether an open poll of a room has a choice with that name.
    private static func hasChoice<Match>(
        _ name: String, in room: Room.ID, at date: Date, _ res: Response<Match>
    ) async throws -> Bool {
        let polls = try await PollBook(brain: res.brain).polls(in: room)
        return polls.contains { $0.isOpen(at: date) && (try? $0.choice(named: name)) != nil }
    }

    /// A choice that is named by its words: `curry`, `curry in poll 2`, `curry in #dev`, or `curry in dev`.
    private struct NamedChoice {
        let name: String
        let poll: Int?
        var room: Substring?

        /// - Parameter hasShortRoom: Whether any word may be the room's name, as in `curry in dev`.
        init(_ typed: Substring, hasShortRoom: Bool = false) {
            let text = String(oneLine: typed, limit: 200)
            let pattern = /(?<name>.+?)(?: in poll #?(?<poll>[0-9]{1,3}))?(?: in (?<room>\S+))?/.ignoresCase()
            let match = text.wholeMatch(of: pattern)
            let isFullName = match?.room?.dropLast().contains { $0 == "#" || $0 == "@" } ?? true
            guard let match, isFullName || hasShortRoom else {
                (name, poll, room) = (String(oneLine: text, limit: 100), nil, nil)
                return
            }
            name = String(oneLine: match.name, limit: 100)
            poll = match.poll.flatMap { Int($0) }
            room = match.room
        }
    }
}
