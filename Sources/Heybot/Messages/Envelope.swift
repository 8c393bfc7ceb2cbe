/// Where an utterance goes: a room, and there perhaps to somebody, in answer to a message.
public struct Envelope: Codable, Hashable, Sendable {
    /// The room it goes to.
    public var room: Room
    /// Whom it is for; nobody in particular where nil.
    public var user: User?
    /// The message it answers, for adapters that can show that.
    public var message: Message.ID?
    /// Whether it only says that nobody understood the message, as what a `catchAll` says; it isn't encoded.
    public var isHint = false

    private enum CodingKeys: CodingKey { case room, user, message }

    /// Addresses a room, and somebody in it where one is given.
    public init(room: Room, user: User? = nil, message: Message.ID? = nil) {
        self.room = room
        self.user = user
        self.message = message
    }

    /// A reply as plain text: with the user's name in front in a room, as it is in a private conversation.
    public func plainReply(_ text: String) -> String {
        if let user, !room.isPrivate { "\(user.name): \(text)" } else { text }
    }
}
