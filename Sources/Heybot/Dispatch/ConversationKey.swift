/// A user in a room: what identifies a conversation with the robot.
struct ConversationKey: Hashable, Sendable {
    let user: User.ID
    let room: Room.ID

    init(user: User.ID, room: Room.ID) {
        self.user = user
        self.room = room
    }

    /// The key of a message's sender in its room, so that another user who takes the nick later doesn't answer the question.
    init(_ message: Message) { self.init(user: message.sender, room: message.room.id) }
}
