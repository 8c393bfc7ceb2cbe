/// What the robot sends to a room: a text, a reply, an action, a topic, or a file.
public enum Utterance: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A text addressed to the envelope's user, in the adapter's style; ``Envelope/plainReply(_:)`` is the default.
    case reply(String)
    /// An action, like `/me`.
    case emote(String)
    /// A new topic for the room.
    case topic(String)
    /// A file. An adapter whose service doesn't support files sends the alternative text.
    case attachment(Attachment)

    /// The utterance as text.
    public var content: String {
        switch self {
        case .text(let text), .reply(let text), .emote(let text), .topic(let text): text
        case .attachment(let attachment): attachment.alternative
        }
    }
}

extension Utterance: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text, attachment }
    private enum EncodedKind: String, Codable { case text, reply, emote, topic, attachment }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text() throws -> String { try container.decode(String.self, forKey: .text) }
        self =
            switch try container.decode(EncodedKind.self, forKey: .kind) {
            case .text: .text(try text())
            case .reply: .reply(try text())
            case .emote: .emote(try text())
            case .topic: .topic(try text())
            case .attachment: .attachment(try container.decode(Attachment.self, forKey: .attachment))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let kind: EncodedKind =
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

/// A file that the robot sends.
public struct Attachment: Codable, Hashable, Sendable {
    /// The file name, such as `chart.png`.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// The file's content.
    public var bytes: [UInt8]
    /// The text that is sent instead if the service doesn't support files: a description, or a link.
    public var alternative: String

    /// Creates a file.
    ///
    /// The alternative text defaults to the name.
    public init(name: String, type: String, bytes: [UInt8], alternative: String? = nil) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.alternative = alternative ?? name
    }
}
