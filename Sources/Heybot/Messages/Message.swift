public import FoundationEssentials

/// Something that happened in a room: words, somebody's coming or going, a new topic.
public struct Message: Codable, Hashable, Identifiable, Sendable {
    /// Tells messages of one adapter apart.
    public typealias ID = Scoped<Message>

    /// What happened.
    public enum Content: Hashable, Sendable {
        /// Somebody said something.
        case text(String)
        /// Somebody came into the room.
        case enter
        /// Somebody left the room, with their parting words if they had any.
        case leave(reason: String?)
        /// Somebody changed the topic.
        case topic(String)
    }

    /// The adapter's own identifier of the message, unique within the adapter.
    public let id: ID
    /// Who said or did it.
    public var user: User
    /// Where.
    public var room: Room
    /// What happened.
    public var content: Content
    /// When it was said, as the adapter tells.
    public var time: Date
    /// Whether the service itself says that it is for the robot, so that its name need not be in the text.
    public var isAddressed: Bool

    /// Makes a message of now, unless the adapter knows better when it was said.
    public init(id: ID, user: User, room: Room, content: Content, time: Date = .now, isAddressed: Bool = false) {
        self.id = id
        self.user = user
        self.room = room
        self.content = content
        self.time = time
        self.isAddressed = isAddressed
    }

    /// What was said, where the message is words.
    public var text: String? {
        if case .text(let text) = content { text } else { nil }
    }
}

extension Message {
    private enum CodingKeys: String, CodingKey { case id, user, room, content, time, isAddressed }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id), user: try container.decode(User.self, forKey: .user),
            room: try container.decode(Room.self, forKey: .room),
            content: try container.decode(Content.self, forKey: .content),
            time: try container.decode(Date.self, forKey: .time),
            isAddressed: try container.decodeIfPresent(Bool.self, forKey: .isAddressed) ?? false)
    }
}

extension Message.Content: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text }
    private enum Kind: String, Codable { case text, enter, leave, topic }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try container.decode(Kind.self, forKey: .kind) {
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
            try container.encode(Kind.text, forKey: .kind)
            try container.encode(text, forKey: .text)
        case .enter:
            try container.encode(Kind.enter, forKey: .kind)
        case .leave(let reason):
            try container.encode(Kind.leave, forKey: .kind)
            try container.encodeIfPresent(reason, forKey: .text)
        case .topic(let text):
            try container.encode(Kind.topic, forKey: .kind)
            try container.encode(text, forKey: .text)
        }
    }
}
