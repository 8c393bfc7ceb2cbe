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
    /// Whether the service is asked to confirm that the message arrives, and is read, so that a script can wait for that.
    public var isTracked: Bool {
        get { tracking ?? false }
        set { tracking = newValue ? true : nil }
    }

    /// An envelope that an earlier version has stored has none.
    private var tracking: Bool?

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
