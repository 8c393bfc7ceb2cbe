import Heybot

/// The room in which a moderator gives a command, with what is needed to perform it.
struct ModeratedRoom: Sendable {
    let room: Room
    let adapter: any RoomModeration
    let robot: Robot
    let moderator: User

    /// - Throws: A ``Refusal`` if the room can't be moderated.
    init<Match>(_ res: Response<Match>) throws(Refusal) {
        room = res.message.room
        robot = res.robot
        moderator = res.message.user
        guard let adapter = res.robot.adapter(of: res.message.room, as: (any RoomModeration).self) else {
            throw Refusal("I can't moderate rooms on \(res.message.room.id.adapter).")
        }
        guard !res.message.room.isPrivate else { throw Refusal("Say that in the room that is meant.") }
        // Whatever the access is, since anyone can take a nick.
        guard !res.message.user.isAnonymous else {
            throw Refusal("I can't verify who you are. Log in to your account first.")
        }
        self.adapter = adapter
    }

    /// Returns the member whom a command names, with or without quotes.
    ///
    /// - Throws: A ``Refusal`` if the room doesn't show such a member.
    func member(_ typed: Substring) async throws -> RoomMember {
        let name = Self.name(typed)
        let meant = Robot.isAsker(name) ? moderator.name : name
        guard let member = await adapter.member(named: meant, in: room) else {
            if name.lowercased() == robot.name.lowercased() { throw Refusal("I'd rather leave that to others.") }
            throw Refusal("I don't see \"\(String(oneLine: name, limit: 40))\" in this room now.")
        }
        return member
    }

    /// The name that a command has: without quotes and a leading `@`.
    static func name(_ typed: Substring) -> String { String(typed.beginning(bytes: 400).unquoted.drop { $0 == "@" }) }

    /// Returns the restriction that a command asks for: of a member, or else of a user who isn't in the room.
    ///
    /// - Throws: A ``Refusal`` if there is no such user, and what the adapter throws.
    func target(_ kind: RoomRestriction.Kind, _ typed: Substring) async throws -> RestrictionTarget {
        let name = Self.name(typed)
        let meant = Robot.isAsker(name) ? moderator.name : name
        if let member = await adapter.member(named: meant, in: room) {
            let (restriction, affected) = try await adapter.restriction(kind, of: member, in: room)
            return RestrictionTarget(user: member.user, member: member, restriction: restriction, affected: affected)
        }
        if meant.lowercased() == robot.name.lowercased() { throw Refusal("I'd rather leave that to others.") }
        // An address may be long, but what is shown must be what is banned.
        guard kind == .ban, String(oneLine: meant, limit: 400) == meant else {
            throw Refusal("I don't see \"\(String(oneLine: meant, limit: 40))\" in this room now.")
        }
        let id = User.ID(adapter: room.id.adapter, value: meant)
        let known = try await knownUser(meant)
        // The network may know less about them.
        if let known { try protect(from: kind.rawValue, known) }
        var user = known ?? User(id: id, name: meant, isAnonymous: true)
        // If an address was typed, the answer doesn't show which nick belongs to it.
        let isTyped = user.id.value.lowercased() == meant.lowercased()
        if isTyped { user.name = meant }
        let (restriction, banned, affected) = try await adapter.restriction(kind, ofAbsent: user, in: room)
        return RestrictionTarget(
            user: banned, member: nil, restriction: restriction, affected: affected,
            isSecret: !isTyped && banned.id == user.id)
    }

    /// Returns the verified user who was last seen in this room and with a name; nil if there is none, or there are several.
    ///
    /// Of those who were seen elsewhere, moderators of this room may not know.
    private func knownUser(_ name: String) async throws -> User? {
        let seen = try await SightingRecords(brain: robot.brain).last(of: name, nil)
        let users = seen.filter { $0.room == room.id && !$0.user.isAnonymous }.map(\.user)
        return Set(users.map(\.id)).count == 1 ? users.first : nil
    }

    /// Refuses what would affect the moderator, or an admin.
    ///
    /// - Parameters:
    ///   - verb: What the robot is to do, such as `ban`.
    ///   - affected: The members who are affected, besides the one that is meant.
    func protect(from verb: String, _ meant: User, affected: [User] = []) throws(Refusal) {
        if meant.id == moderator.id { throw Refusal("I won't \(verb) you. Ask somebody else.") }
        try protectAdmin(from: verb, meant)
        let name = meant.shortName
        for user in affected {
            if user.id == moderator.id { throw Refusal("I won't \(verb) \(name): that would affect you too.") }
            guard robot.isAdmin(user) else { continue }
            throw Refusal(
                "I won't \(verb) \(name): that would affect \(user.shortName) too, who is one of my admins.")
        }
    }

    /// Refuses what would take a right from an admin, unless it is the moderator.
    func protectAdmin(from verb: String, _ user: User) throws(Refusal) {
        guard user.id != moderator.id, robot.isAdmin(user) else { return }
        throw Refusal("I won't \(verb) \(user.shortName), who is one of my admins.")
    }

    /// A reason for the network, with the moderator's name.
    func shown(_ reason: String) -> String {
        reason.isEmpty ? "asked for by \(moderator.shortName)" : "\(reason) (\(moderator.shortName))"
    }
}

/// Whom a command bans or quiets, and how.
struct RestrictionTarget: Sendable {
    let user: User
    /// Nil if the user isn't in the room.
    let member: RoomMember?
    let restriction: RoomRestriction
    /// The members of the room whom it would affect.
    let affected: [User]
    /// Whether the room may not know the restriction's subject, because the robot has it from its memory.
    var isSecret = false
}
