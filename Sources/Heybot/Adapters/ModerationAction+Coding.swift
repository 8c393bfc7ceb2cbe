extension ModerationAction: Codable {
    private enum CodingKeys: String, CodingKey { case kind, member, restriction, message, reason, ifOwn, topic }
    private enum EncodedKind: String, Codable {
        case giveOperator, takeOperator, giveVoice, takeVoice, kick, restrict, restrictAbsent, retract, lift, setTopic
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func member() throws -> RoomMember { try container.decode(RoomMember.self, forKey: .member) }
        func restriction() throws -> RoomRestriction {
            try container.decode(RoomRestriction.self, forKey: .restriction)
        }
        func reason() throws -> String { try container.decode(String.self, forKey: .reason) }
        self =
            switch try container.decode(EncodedKind.self, forKey: .kind) {
            case .giveOperator: .giveOperator(try member())
            case .takeOperator: .takeOperator(try member())
            case .giveVoice: .giveVoice(try member())
            case .takeVoice: .takeVoice(try member())
            case .kick: .kick(try member(), reason: try reason())
            case .restrict: .restrict(try member(), try restriction(), reason: try reason())
            case .restrictAbsent: .restrictAbsent(try restriction(), reason: try reason())
            case .retract: .retract(try container.decode(Message.ID.self, forKey: .message), reason: try reason())
            case .lift: .lift(try restriction(), ifOwn: try container.decode(Bool.self, forKey: .ifOwn))
            case .setTopic: .setTopic(try container.decode(String.self, forKey: .topic))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encodedKind, forKey: .kind)
        switch self {
        case .giveOperator(let member), .takeOperator(let member), .giveVoice(let member), .takeVoice(let member):
            try container.encode(member, forKey: .member)
        case .kick(let member, let reason):
            try container.encode(member, forKey: .member)
            try container.encode(reason, forKey: .reason)
        case .restrict(let member, let restriction, let reason):
            try container.encode(member, forKey: .member)
            try container.encode(restriction, forKey: .restriction)
            try container.encode(reason, forKey: .reason)
        case .restrictAbsent(let restriction, let reason):
            try container.encode(restriction, forKey: .restriction)
            try container.encode(reason, forKey: .reason)
        case .retract(let message, let reason):
            try container.encode(message, forKey: .message)
            try container.encode(reason, forKey: .reason)
        case .lift(let restriction, let ifOwn):
            try container.encode(restriction, forKey: .restriction)
            try container.encode(ifOwn, forKey: .ifOwn)
        case .setTopic(let topic):
            try container.encode(topic, forKey: .topic)
        }
    }

    private var encodedKind: EncodedKind {
        switch self {
        case .giveOperator: .giveOperator
        case .takeOperator: .takeOperator
        case .giveVoice: .giveVoice
        case .takeVoice: .takeVoice
        case .kick: .kick
        case .restrict: .restrict
        case .restrictAbsent: .restrictAbsent
        case .retract: .retract
        case .lift: .lift
        case .setTopic: .setTopic
        }
    }
}
