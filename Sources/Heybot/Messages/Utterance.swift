/// Something the robot says or does in a room.
public enum Utterance: Hashable, Sendable {
    /// Says it.
    case text(String)
    /// Says it to the envelope's user, in the adapter's own manner (``Envelope/plainReply(_:)`` is the plain one).
    case reply(String)
    /// Does it, as `/me` does.
    case emote(String)
    /// Makes it the room's topic.
    case topic(String)
    /// Hands out a file; an adapter whose service takes none says its alternative.
    case attachment(Attachment)

    /// The words of it.
    public var content: String {
        switch self {
        case .text(let text), .reply(let text), .emote(let text), .topic(let text): text
        case .attachment(let attachment): attachment.alternative
        }
    }
}

extension Utterance: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text, attachment }
    private enum Kind: String, Codable { case text, reply, emote, topic, attachment }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text() throws -> String { try container.decode(String.self, forKey: .text) }
        self =
            switch try container.decode(Kind.self, forKey: .kind) {
            case .text: .text(try text())
            case .reply: .reply(try text())
            case .emote: .emote(try text())
            case .topic: .topic(try text())
            case .attachment: .attachment(try container.decode(Attachment.self, forKey: .attachment))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let kind: Kind =
            switch self {
            case .text: .text
            case .reply: .reply
            case .emote: .emote
            case .topic: .topic
            case .attachment: .attachment
            }
        try container.encode(kind, forKey: .kind)
        if case .attachment(let attachment) = self {
            try container.encode(attachment, forKey: .attachment)
        } else {
            try container.encode(content, forKey: .text)
        }
    }
}

/// A file that the robot hands out.
public struct Attachment: Codable, Hashable, Sendable {
    /// Its name, as `chart.png`.
    public var name: String
    /// What it is, as `image/png`.
    public var type: String
    /// What is in it.
    public var bytes: [UInt8]
    /// What is said instead if the service takes no files: what it shows, or where it can be seen.
    public var alternative: String

    /// Makes a file of those bytes; if there is no alternative, its name is.
    public init(name: String, type: String, bytes: [UInt8], alternative: String? = nil) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.alternative = alternative ?? name
    }
}

/// Where an utterance goes: a room, and there perhaps to somebody, in answer to a message.
public struct Envelope: Codable, Hashable, Sendable {
    /// The room it goes to.
    public var room: Room
    /// Whom it is for; nobody in particular if nil.
    public var user: User?
    /// The message it answers, for adapters that can show that.
    public var message: Message.ID?
    /// Whether it only says that nobody understood the message, as what a `catchAll` says; it isn't encoded.
    public var isHint = false

    private enum CodingKeys: CodingKey { case room, user, message }

    /// Addresses a room, and somebody in it if one is given.
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
