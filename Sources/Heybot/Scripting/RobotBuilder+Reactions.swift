// Listeners for what users do to messages, and to their profiles.

extension RobotBuilder {
    /// Runs when a user adds reactions to a message, or removes them.
    ///
    /// The match says which, and to which message.
    public mutating func reaction(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<Message.Reaction>) async throws -> Void
    ) {
        add(
            .reaction, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .reaction(let reaction) = $0.message.content { reaction } else { nil } }, handler)
    }

    /// Runs when a user, or a moderator of the room, retracts a message.
    ///
    /// The match is the id of the retracted message.
    public mutating func retraction(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<Message.ID>) async throws -> Void
    ) {
        add(
            .retraction, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .retraction(let message) = $0.message.content { message } else { nil } }, handler)
    }

    /// Runs when a user changes their name, or another part of their profile.
    ///
    /// The match says what has changed; the message's user has the new name.
    ///
    /// On IRC a user has as many messages of this kind as rooms that the robot shares with them, as when they leave.
    public mutating func profile(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<Message.ProfileChange>) async throws -> Void
    ) {
        add(
            .profile, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .profile(let change) = $0.message.content { change } else { nil } }, handler)
    }
}
