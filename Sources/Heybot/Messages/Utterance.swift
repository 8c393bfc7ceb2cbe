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
