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
    /// A file. An adapter whose service doesn't support files sends ``Attachment/plainText``, or throws an error.
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
