public import Heybot

/// Relays what is said in a room to rooms of any networks, and back.
///
/// The brain stores which rooms are relayed. A relayed text is never a command, and isn't relayed again:
/// see ``RelayMark``.
public struct Relay: Script {
    /// The users who may set up relays, besides the admins.
    private static let moderators = Access.role("moderator")
    /// A room may take a while to let the robot in.
    private static let deadline: Duration = .minutes(2)
    private static let mostListed = 20

    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        let delivery = RelayDelivery(for: name)
        robot.readBrain(every: .seconds(30)) { robot in
            let book = try await robot.brain.recall(RelayBook.key) ?? RelayBook()
            delivery.setTargets(book.targets)
        }
        robot.observe { message, robot in delivery.take(message, robot) }
        robot.observeDeliveries { utterance, envelope, isEdit, robot in
            delivery.take(utterance, to: envelope, isEdit: isEdit, robot)
        }

        robot.respond(
            /relay (?<one>\S{1,400}) (?:with|to|and) (?<other>\S{1,400})$/,
            help: "relay <room> with <room> - Show in each of two rooms, of any networks, what is said in the other",
            example: "relay #dev with xmpp:dev@conference.example.org", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            let (one, other) = (try Self.room(res.match.one, res), try Self.room(res.match.other, res))
            try await Self.start(one, other, delivery, res)
        }

        robot.respond(
            /(?:stop|end|don['’]t) relay(?:ing)? (?<room>\S{1,400})$/,
            help: "stop relaying <room> - Remove a room from its relay", example: "stop relaying #dev",
            allow: Self.moderators
        ) { res in
            let room = try Self.room(res.match.room, res)
            // An admin can end a relay of a room that the robot has left.
            if !res.robot.isAdmin(res.message.user) {
                try await res.robot.refuseStrangers(in: room, from: res.message)
            }
            try await Self.stop(room, delivery, res)
        }

        robot.respond(
            /relays$/, help: "relays - List which rooms I relay", example: "relays", allow: Self.moderators
        ) { res in
            let book = try await res.brain.recall(RelayBook.key) ?? RelayBook()
            guard !book.entries.isEmpty else { throw Refusal("I relay no rooms.") }
            let lines = book.entries.prefix(Self.mostListed).map { entry in
                "\(Self.list(entry.rooms, res.robot)) (set up by \(entry.author.shortName))"
            }
            let rest = book.entries.count - lines.count
            try await res.send((lines + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n"))
        }
    }

    // MARK: Commands

    private static func start<Match>(
        _ one: Room.ID, _ other: Room.ID, _ delivery: RelayDelivery, _ res: Response<Match>
    ) async throws {
        let (robot, user) = (res.robot, res.message.user)
        guard one != other else { throw Refusal("These are the same room.") }
        guard !user.isAnonymous else {
            throw Refusal("I can't verify who you are. Log in to your account first.")
        }
        // Checked first, so that the robot doesn't join a room needlessly.
        var planned = try await res.brain.recall(RelayBook.key) ?? RelayBook()
        let all = try planned.add(one, other, by: user, at: robot.date)
        for room in [one, other] { try await enter(room, res) }
        // All rooms of the relay, because each shows what is said in the others.
        for room in all { try await robot.refuseStrangers(in: room, from: res.message) }
        let rooms = try await res.brain.update(RelayBook.key, default: RelayBook()) { book in
            try book.add(one, other, by: user, at: robot.date)
        }
        let names = list(rooms, robot)
        // Sent before the relay begins, so that it isn't relayed.
        try await res.reply("OK, from now on I relay messages between these rooms: \(names).")
        await tell(
            "From now on I relay what is said here: \(names) (set up by \(user.shortName)). "
                + "To end that here, a moderator can say \"\(robot.name) stop relaying here\".",
            rooms.filter { $0 != res.message.room.id }, robot)
        try await reload(delivery, robot)
    }

    private static func stop<Match>(
        _ room: Room.ID, _ delivery: RelayDelivery, _ res: Response<Match>
    ) async throws {
        let robot = res.robot
        let others = try await res.brain.update(RelayBook.key, default: RelayBook()) { $0.remove(room) }
        let name = shown(room, robot)
        guard let others else { throw Refusal("I don't relay \(name).") }
        try await reload(delivery, robot)
        try await res.reply("OK, \(name) isn't relayed any more.")
        await tell(
            "I don't relay \(name) any more (\(res.message.user.shortName)).",
            ([room] + others).filter { $0 != res.message.room.id }, robot)
    }

    private static func reload(_ delivery: RelayDelivery, _ robot: Robot) async throws {
        let book = try await robot.brain.recall(RelayBook.key) ?? RelayBook()
        delivery.setTargets(book.targets)
    }

    /// Tells rooms something that isn't relayed.
    private static func tell(_ text: String, _ rooms: [Room.ID], _ robot: Robot) async {
        for room in rooms {
            try? await robot.deliverUnobserved(.text(text), to: Envelope(room: Room(id: room)))
        }
    }

    // MARK: Rooms

    /// Returns the room that a command names.
    ///
    /// - Throws: A ``Refusal`` if the robot isn't on that network, if the name can only be that of a channel on another
    ///   network, or if the room is a private conversation.
    private static func room<Match>(_ typed: Substring, _ res: Response<Match>) throws(Refusal) -> Room.ID {
        let networks = res.robot.adapters.map(\.name)
        if let id = Room.ID(String(typed)), !networks.contains(id.adapter), typed.first?.isLetter == true {
            let name = String(oneLine: id.adapter, limit: 40)
            throw Refusal("I'm not on a network called \(name). I'm on: \(networks.joined(separator: ", ")).")
        }
        let room = res.robot.room(named: typed, from: res.message.room)
        guard room != res.message.room.id || !res.message.room.isPrivate else {
            throw Refusal("I don't relay private conversations. Name a room.")
        }
        // A channel that a gateway brings to XMPP has an address, with an @.
        if room.adapter == "xmpp", room.value.hasPrefix("#"), !room.value.contains("@"), networks.contains("irc") {
            let name = String(oneLine: room.value, limit: 100)
            throw Refusal("\(name) isn't a room on XMPP. For the channel on IRC, write irc:\(name).")
        }
        return room
    }

    /// Makes sure that the robot is in a room; for an admin, it joins the room.
    ///
    /// - Throws: A ``Refusal`` if the robot isn't in the room, and what the adapter throws.
    private static func enter<Match>(_ room: Room.ID, _ res: Response<Match>) async throws {
        let place = Room(id: room)
        // If the adapter can't tell, only the service knows.
        guard let reporting = res.robot.adapter(of: place, as: (any RoomMembershipReporting).self),
            await reporting.isIn(place) != true
        else { return }
        guard res.robot.isAdmin(res.message.user),
            let membership = res.robot.adapter(of: place, as: (any RoomMembership).self)
        else { throw Refusal("I'm not in \(shown(room, res.robot)): an admin can have me join it.") }
        _ = try await membership.join(room.value, password: nil)
    }

    private static func shown(_ room: Room.ID, _ robot: Robot) -> String {
        String(oneLine: robot.displayName(of: room), limit: 100)
    }

    private static func list(_ rooms: [Room.ID], _ robot: Robot) -> String {
        rooms.map { shown($0, robot) }.joined(separator: ", ")
    }
}
