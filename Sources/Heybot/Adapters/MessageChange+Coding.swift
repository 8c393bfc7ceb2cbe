extension MessageChange: Codable {
    private enum CodingKeys: String, CodingKey { case kind, utterance, reaction }
    private enum EncodedKind: String, Codable { case edit, react, unreact, retract }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func reaction() throws -> String { try container.decode(String.self, forKey: .reaction) }
        self =
            switch try container.decode(EncodedKind.self, forKey: .kind) {
            case .edit: .edit(try container.decode(Utterance.self, forKey: .utterance))
            case .react: .react(try reaction())
            case .unreact: .unreact(try reaction())
            case .retract: .retract
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .edit(let utterance):
            try container.encode(EncodedKind.edit, forKey: .kind)
            try container.encode(utterance, forKey: .utterance)
        case .react(let reaction):
            try container.encode(EncodedKind.react, forKey: .kind)
            try container.encode(reaction, forKey: .reaction)
        case .unreact(let reaction):
            try container.encode(EncodedKind.unreact, forKey: .kind)
            try container.encode(reaction, forKey: .reaction)
        case .retract:
            try container.encode(EncodedKind.retract, forKey: .kind)
        }
    }
}
