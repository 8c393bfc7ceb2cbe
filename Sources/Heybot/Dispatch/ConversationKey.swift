/// A user in a room: what identifies a conversation with the robot.
struct ConversationKey: Hashable, Sendable {
    let user: User.ID
    /// An anonymous user's id may be another user's, whose questions the anonymous user mustn't answer.
    let isAnonymous: Bool
    let room: Room.ID

    init(user: User.ID, isAnonymous: Bool = false, room: Room.ID) {
        self.user = user
        self.isAnonymous = isAnonymous
        self.room = room
    }

    /// The key of a message's sender in its room, so that another user who takes the nick later doesn't answer the question.
    init(_ message: Message) {
        self.init(user: message.sender, isAnonymous: message.user.isAnonymous, room: message.room.id)
    }

    /// The key of a scheduled command of a message's user: it has no origin; nil if the message has none either.
    init?(ofScheduledCommandBySenderOf message: Message) {
        guard message.origin != nil else { return nil }
        self.init(user: message.user.id, isAnonymous: message.user.isAnonymous, room: message.room.id)
    }
}
