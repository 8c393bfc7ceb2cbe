import Heybot

/// Whom a command wants to remind.
enum ReminderTarget: Hashable, Sendable {
    case room(Room)
    case person(User)

    private static let everyone: Set<String> = ["us", "everyone", "everybody", "all", "here"]

    /// Returns the people, or the one room, that a command names; each person once.
    ///
    /// - Throws: As ``named(_:_:)``, or if there are too many.
    static func all<Match>(named names: [Substring], _ res: Response<Match>) async throws -> [ReminderTarget] {
        guard !names.isEmpty else {
            throw Refusal("Remind whom? Say it as in: remind ada tomorrow at 9:00 to call me.")
        }
        guard names.count <= RemindedNames.most else {
            throw Refusal("That's too many people for me: I can remind \(RemindedNames.most) at once.")
        }
        var targets: [ReminderTarget] = []
        for name in names {
            let target = try await named(name, res)
            if !targets.contains(where: { $0.key == target.key }) { targets.append(target) }
        }
        guard targets.count == 1 || !targets.contains(where: \.isRoom) else {
            throw Refusal("I can remind several people, or one room, at once. For a room, say it again.")
        }
        return targets
    }

    /// Returns the person or the room that a command names.
    ///
    /// - Throws: A ``Refusal`` if there is no such person, or if the author may not have the robot speak in the room.
    private static func named<Match>(_ typed: Substring, _ res: Response<Match>) async throws -> ReminderTarget {
        let (message, robot) = (res.message, res.robot)
        var name = typed.beginning(bytes: 400)
        while let last = name.last, last == ":" || last == "," { name.removeLast() }
        name = name.unquoted
        if everyone.contains(name.lowercased()) {
            return message.room.isPrivate ? .person(message.user) : .room(message.room)
        }
        if Robot.isAsker(name) { return .person(message.user) }
        if let room = await robot.knownRoom(named: name, from: message.room) {
            try await robot.refuseStrangers(in: room, from: message)
            return .room(room == message.room.id ? message.room : Room(id: room))
        }
        do {
            return .person(try await Robot.user(onAnyNetwork: name, res))
        } catch let refusal as Refusal {
            guard let room = await roomWithSign(name, res) else { throw refusal }
            throw Refusal("\(refusal.userMessage) Did you mean \(room)?")
        }
    }

    /// Returns the room that a name without the sign `#` means, as it is shown; nil if the robot isn't in such a room.
    private static func roomWithSign<Match>(_ name: Substring, _ res: Response<Match>) async -> String? {
        let (here, robot) = (res.message.room, res.robot)
        let room = robot.room(named: "#\(name)", from: here)
        var isKnown = room == here.id
        if !isKnown { isKnown = await robot.isIn(Room(id: room)) == true }
        return isKnown ? String(oneLine: robot.displayName(of: room), limit: 100) : nil
    }

    private var isRoom: Bool {
        switch self {
        case .room: true
        case .person: false
        }
    }

    private var key: String {
        switch self {
        case .room(let room): "room \(room.id)"
        case .person(let user): "user \(user.id)"
        }
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
