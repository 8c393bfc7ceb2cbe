public import FoundationEssentials

/// An event in a room: a text, a user who enters or leaves, or a new topic.
public struct Message: Codable, Hashable, Identifiable, Sendable {
    /// The id of a message, unique within its adapter.
    public typealias ID = ScopedID<Message>

    /// The kind of event, with its text.
    public enum Content: Hashable, Sendable {
        /// A user sent a text.
        case text(String)
        /// A user entered the room.
        case enter
        /// A user left the room, perhaps with a reason.
        case leave(reason: String?)
        /// A user changed the topic.
        case topic(String)
    }

    private struct Fields: Hashable, Sendable {
        let id: ID
        var user: User
        var room: Room
        var content: Content
        var time: Date
        var isAddressed: Bool
        var origin: String?
        var isLate = false
    }

    /// The message's storage, shared by its copies: messages are copied more often than anything else.
    private final class Storage: Sendable {
        let fields: Fields
        let sender: User.ID

        init(_ fields: Fields) {
            self.fields = fields
            sender = fields.origin.map { User.ID(adapter: fields.room.id.adapter, value: $0) } ?? fields.user.id
        }
    }

    private var storage: Storage

    /// Creates a message, sent now unless a time is given.
    public init(
        id: ID, user: User, room: Room, content: Content, time: Date = .now, isAddressed: Bool = false,
        origin: String? = nil
    ) {
        storage = Storage(
            Fields(
                id: id, user: user, room: room, content: content, time: time, isAddressed: isAddressed, origin: origin))
    }

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// The message's id, unique within its adapter.
    public var id: ID { storage.fields.id }

    /// The user who sent or caused it.
    public var user: User {
        get { storage.fields.user }
        set { fields.user = newValue }
    }

    /// The room in which it happened.
    public var room: Room {
        get { storage.fields.room }
        set { fields.room = newValue }
    }

    /// The kind of event, with its text.
    public var content: Content {
        get { storage.fields.content }
        set { fields.content = newValue }
    }

    /// The time at which it was sent, as reported by the adapter.
    public var time: Date {
        get { storage.fields.time }
        set { fields.time = newValue }
    }

    /// Whether the service marks the message as addressed to the robot, so that its name needn't be in the text.
    public var isAddressed: Bool {
        get { storage.fields.isAddressed }
        set { fields.isAddressed = newValue }
    }

    /// Whether it was sent while the robot was disconnected, so that its user may no longer want it.
    ///
    /// Such a message answers no question, and runs no command that needs a role or a confirmation.
    package var isLate: Bool {
        get { storage.fields.isLate }
        set { fields.isLate = newValue }
    }

    /// The key for rate limits and ordering: the ``origin`` if there is one, or else the user's id.
    var sender: User.ID { storage.sender }

    /// Identifies the sender for rate limits and ordering; nil to use the user's id.
    ///
    /// Set it on services where users can change their id at any time, to something that is harder to change, such as
    /// the connection.
    public var origin: String? {
        get { storage.fields.origin }
        set { fields.origin = newValue }
    }

    public static func == (one: Message, other: Message) -> Bool {
        one.storage === other.storage || one.fields == other.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The text; nil if the message is another kind of event.
    public var text: String? {
        if case .text(let text) = content { text } else { nil }
    }
}

extension Message {
    private enum CodingKeys: String, CodingKey { case id, user, room, content, time, isAddressed, origin }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id), user: try container.decode(User.self, forKey: .user),
            room: try container.decode(Room.self, forKey: .room),
            content: try container.decode(Content.self, forKey: .content),
            time: try container.decode(Date.self, forKey: .time),
            isAddressed: try container.decodeIfPresent(Bool.self, forKey: .isAddressed) ?? false,
            origin: try container.decodeIfPresent(String.self, forKey: .origin))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(user, forKey: .user)
        try container.encode(room, forKey: .room)
        try container.encode(content, forKey: .content)
        try container.encode(time, forKey: .time)
        try container.encode(isAddressed, forKey: .isAddressed)
        try container.encodeIfPresent(origin, forKey: .origin)
    }
}

extension Message.Content: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text }
    private enum EncodedKind: String, Codable { case text, enter, leave, topic }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try container.decode(EncodedKind.self, forKey: .kind) {
            case .text: .text(try container.decode(String.self, forKey: .text))
            case .enter: .enter
            case .leave: .leave(reason: try container.decodeIfPresent(String.self, forKey: .text))
            case .topic: .topic(try container.decode(String.self, forKey: .text))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let text):
            try container.encode(EncodedKind.text, forKey: .kind)
            try container.encode(text, forKey: .text)
        case .enter:
            try container.encode(EncodedKind.enter, forKey: .kind)
        case .leave(let reason):
            try container.encode(EncodedKind.leave, forKey: .kind)
            try container.encodeIfPresent(reason, forKey: .text)
        case .topic(let text):
            try container.encode(EncodedKind.topic, forKey: .kind)
            try container.encode(text, forKey: .text)
        }
    }
}
