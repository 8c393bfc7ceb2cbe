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
            throw Refusal("I don't see \(String(oneLine: name, limit: 40)) in this room now.")
        }
        return member
    }

    /// The name that a command has: without quotes and a leading `@`.
    static func name(_ typed: Substring) -> String { String(typed.beginning(bytes: 400).unquoted.drop { $0 == "@" }) }

    /// Refuses what would affect the moderator, or an admin.
    ///
    /// - Parameters:
    ///   - verb: What the robot is to do, such as `ban`.
    ///   - affected: The members who are affected, besides the one that is meant.
    func protect(from verb: String, _ member: RoomMember, affected: [User] = []) throws(Refusal) {
        if member.user.id == moderator.id { throw Refusal("I won't \(verb) you. Ask somebody else.") }
        try protectAdmin(from: verb, member)
        let name = member.user.shortName
        for user in affected {
            if user.id == moderator.id { throw Refusal("I won't \(verb) \(name): that would affect you too.") }
            guard robot.isAdmin(user) else { continue }
            throw Refusal(
                "I won't \(verb) \(name): that would affect \(user.shortName) too, who is one of my admins.")
        }
    }

    /// Refuses what would take a right from an admin, unless it is the moderator.
    func protectAdmin(from verb: String, _ member: RoomMember) throws(Refusal) {
        guard member.user.id != moderator.id, robot.isAdmin(member.user) else { return }
        throw Refusal("I won't \(verb) \(member.user.shortName), who is one of my admins.")
    }

    /// A reason for the network, with the moderator's name.
    func shown(_ reason: String) -> String {
        reason.isEmpty ? "asked for by \(moderator.shortName)" : "\(reason) (\(moderator.shortName))"
    }
}
