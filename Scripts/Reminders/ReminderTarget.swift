import Heybot

/// Whom a command wants to remind.
enum ReminderTarget: Hashable, Sendable {
    case room(Room)
    case person(User)

    private static let everyone: Set<String> = ["us", "everyone", "everybody", "all", "here"]

    /// Returns the person or the room that a command names.
    ///
    /// - Throws: A ``Refusal`` if there is no such person, or if the author may not have the robot speak in the room.
    static func named<Match>(_ typed: Substring, _ res: Response<Match>) async throws -> ReminderTarget {
        let (message, robot) = (res.message, res.robot)
        var name = typed.beginning(bytes: 400).unquoted
        while let last = name.last, last == ":" || last == "," { name.removeLast() }
        if everyone.contains(name.lowercased()) {
            return message.room.isPrivate ? .person(message.user) : .room(message.room)
        }
        if Robot.isAsker(name) { return .person(message.user) }
        if let room = await robot.knownRoom(named: name, from: message.room) {
            try await robot.refuseStrangers(in: room, from: message)
            return .room(room == message.room.id ? message.room : Room(id: room))
        }
        return .person(try await Robot.user(onAnyNetwork: name, res))
    }

    /// Returns where the reminder goes.
    ///
    /// A person gets it in the room where it was asked for. On another network, or if it was asked for in private or is to be
    /// private, the person gets it in private.
    ///
    /// - Throws: A ``Refusal`` if it has to be private, and the network has no private messages.
    func destination(
        isPrivate: Bool, askedBy message: Message, _ robot: Robot
    ) throws(Refusal) -> Reminder.Destination {
        let user: User
        switch self {
        case .room(let room):
            guard !isPrivate else { throw Refusal("I can remind a person in private, but not a room.") }
            return .room(room)
        case .person(let person): user = person
        }
        let isHere = user.id.adapter == message.room.id.adapter
        if isHere, !isPrivate, !message.room.isPrivate { return .person(user, room: message.room) }
        let adapter = robot.adapters.first { $0.name == user.id.adapter }
        if adapter is any PrivateMessaging { return .person(user, room: nil) }
        guard isHere, message.room.isPrivate, user.id == message.user.id else {
            throw Refusal("I can't send direct messages on \(String(oneLine: user.id.adapter, limit: 40)).")
        }
        return .person(user, room: message.room)
    }

    /// The name of the person or room, for an answer.
    func shownName(readBy user: User, _ robot: Robot) -> String {
        switch self {
        case .room(let room): String(oneLine: robot.displayName(of: room.id), limit: 100)
        case .person(let person): person.id == user.id ? "you" : person.shortName
        }
    }
}

extension Reminder.Destination {
    /// Checks that a reminder in private is for somebody whom the robot knows: nobody may have it write to strangers.
    ///
    /// - Throws: A ``Refusal`` if it isn't.
    func refuseStrangers(_ robot: Robot) async throws {
        guard case .person(let user, room: nil) = self, try await !robot.knows(user) else { return }
        throw Refusal(
            """
            I don't know \(user.shortName). I remind people in private if they have talked to me, or are in a room \
            with me. To have it wait until they talk to me, add: when they're back
            """)
    }
}
