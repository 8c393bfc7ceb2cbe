import FoundationEssentials

extension AdapterStatus: Codable {
    private enum CodingKeys: String, CodingKey { case state, since, reason }
    private enum EncodedState: String, Codable { case starting, up, down, ended }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func since() throws -> Date { try container.decode(Date.self, forKey: .since) }
        self =
            switch try container.decode(EncodedState.self, forKey: .state) {
            case .starting: .starting
            case .up: .up(since: try since())
            case .down: .down(since: try since(), reason: try container.decode(String.self, forKey: .reason))
            case .ended: .ended(since: try since())
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .starting:
            try container.encode(EncodedState.starting, forKey: .state)
        case .up(let since):
            try container.encode(EncodedState.up, forKey: .state)
            try container.encode(since, forKey: .since)
        case .down(let since, let reason):
            try container.encode(EncodedState.down, forKey: .state)
            try container.encode(since, forKey: .since)
            try container.encode(reason, forKey: .reason)
        case .ended(let since):
            try container.encode(EncodedState.ended, forKey: .state)
            try container.encode(since, forKey: .since)
        }
    }
}
