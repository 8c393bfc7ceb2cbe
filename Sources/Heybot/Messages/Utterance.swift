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

    /// The words of it.
    public var content: String {
        switch self {
        case .text(let text), .reply(let text), .emote(let text), .topic(let text): text
        }
    }
}

extension Utterance: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text }
    private enum Kind: String, Codable { case text, reply, emote, topic }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .text)
        self =
            switch try container.decode(Kind.self, forKey: .kind) {
            case .text: .text(text)
            case .reply: .reply(text)
            case .emote: .emote(text)
            case .topic: .topic(text)
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
            }
        try container.encode(kind, forKey: .kind)
        try container.encode(content, forKey: .text)
    }
}
