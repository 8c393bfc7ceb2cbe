/// The destination of an utterance: a room, and optionally a user in it and the message it answers.
public struct Envelope: Codable, Hashable, Sendable {
    /// The room.
    public var room: Room
    /// The user it is addressed to; nil for everyone.
    public var user: User?
    /// The message it answers, for adapters that can show replies.
    public var message: Message.ID?
    /// The thread that it belongs to, for adapters whose service has threads.
    public var thread: String?

    /// Creates a destination.
    public init(room: Room, user: User? = nil, message: Message.ID? = nil) {
        self.room = room
        self.user = user
        self.message = message
    }

    /// Formats a reply as plain text: with the user's name in front in a room, unchanged in a private conversation.
    public func plainReply(_ text: String) -> String {
        if let user, !room.isPrivate { "\(user.name): \(text)" } else { text }
    }
}
