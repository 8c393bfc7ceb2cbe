import Heybot

extension AdapterOperation: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, utterance, envelope, message, change, isTyping, stage, milliseconds, room, user, name, password
        case member, restriction, action, names
    }

    private enum EncodedKind: String, Codable {
        case deliver, change, showTyping, waitUntil, showMore, users, isPresent, locate, isIn, join, leave, member
        case restriction, restrictionOfAbsent, latestMessage, author, moderate, block, unblock, blockedAddresses
        case recognize, metrics
    }

    /// Reads the members that several kinds have.
    private struct Fields {
        let container: KeyedDecodingContainer<CodingKeys>

        func envelope() throws -> Envelope { try container.decode(Envelope.self, forKey: .envelope) }
        func message() throws -> Message.ID { try container.decode(Message.ID.self, forKey: .message) }
        func room() throws -> Room { try container.decode(Room.self, forKey: .room) }
        func user() throws -> User { try container.decode(User.self, forKey: .user) }
        func name() throws -> String { try container.decode(String.self, forKey: .name) }
        func member() throws -> RoomMember { try container.decode(RoomMember.self, forKey: .member) }
        func restriction() throws -> RoomRestriction.Kind {
            try container.decode(RoomRestriction.Kind.self, forKey: .restriction)
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        guard let known = EncodedKind(rawValue: kind) else {
            self = .unknown(kind)
            return
        }
        let fields = Fields(container: container)
        switch known {
        case .deliver:
            self = .deliver(try container.decode(Utterance.self, forKey: .utterance), try fields.envelope())
        case .change:
            let change = try container.decode(MessageChange.self, forKey: .change)
            self = .change(try fields.message(), change, try fields.envelope())
        case .showTyping:
            self = .showTyping(try container.decode(Bool.self, forKey: .isTyping), try fields.envelope())
        case .waitUntil:
            let stage = try container.decode(DeliveryStage.self, forKey: .stage)
            let limit = try container.decode(Int.self, forKey: .milliseconds)
            self = .waitUntil(try fields.message(), stage, milliseconds: limit, try fields.envelope())
        case .showMore: self = .showMore(try fields.envelope())
        case .users: self = .users(try fields.room())
        case .isPresent: self = .isPresent(try container.decode(User.ID.self, forKey: .user))
        case .locate: self = .locate(try fields.user())
        case .isIn: self = .isIn(try fields.room())
        case .join:
            let password = try container.decodeIfPresent(String.self, forKey: .password)
            self = .join(try fields.name(), password: password)
        case .leave: self = .leave(try fields.name())
        case .member: self = .member(try fields.name(), try fields.room())
        case .restriction:
            self = .restriction(try fields.restriction(), try fields.member(), try fields.room())
        case .restrictionOfAbsent:
            self = .restrictionOfAbsent(try fields.restriction(), try fields.user(), try fields.room())
        case .latestMessage: self = .latestMessage(try fields.member(), try fields.room())
        case .author: self = .author(try fields.message(), try fields.room())
        case .moderate:
            self = .moderate(try container.decode(ModerationAction.self, forKey: .action), try fields.room())
        case .block: self = .block(try fields.name())
        case .unblock: self = .unblock(try fields.name())
        case .blockedAddresses: self = .blockedAddresses
        case .recognize: self = .recognize(try container.decode([String].self, forKey: .names))
        case .metrics: self = .metrics
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encodedKind, forKey: .kind)
        switch self {
        case .deliver(let utterance, let envelope):
            try container.encode(utterance, forKey: .utterance)
            try container.encode(envelope, forKey: .envelope)
        case .change(let message, let change, let envelope):
            try container.encode(message, forKey: .message)
            try container.encode(change, forKey: .change)
            try container.encode(envelope, forKey: .envelope)
        case .showTyping(let isTyping, let envelope):
            try container.encode(isTyping, forKey: .isTyping)
            try container.encode(envelope, forKey: .envelope)
        case .waitUntil(let message, let stage, let milliseconds, let envelope):
            try container.encode(message, forKey: .message)
            try container.encode(stage, forKey: .stage)
            try container.encode(milliseconds, forKey: .milliseconds)
            try container.encode(envelope, forKey: .envelope)
        case .showMore(let envelope): try container.encode(envelope, forKey: .envelope)
        case .users(let room), .isIn(let room): try container.encode(room, forKey: .room)
        case .isPresent(let user): try container.encode(user, forKey: .user)
        case .locate(let user): try container.encode(user, forKey: .user)
        case .join(let name, let password):
            try container.encode(name, forKey: .name)
            try container.encodeIfPresent(password, forKey: .password)
        case .leave(let name), .block(let name), .unblock(let name): try container.encode(name, forKey: .name)
        case .member(let name, let room):
            try container.encode(name, forKey: .name)
            try container.encode(room, forKey: .room)
        case .restriction(let kind, let member, let room):
            try container.encode(kind, forKey: .restriction)
            try container.encode(member, forKey: .member)
            try container.encode(room, forKey: .room)
        case .restrictionOfAbsent(let kind, let user, let room):
            try container.encode(kind, forKey: .restriction)
            try container.encode(user, forKey: .user)
            try container.encode(room, forKey: .room)
        case .latestMessage(let member, let room):
            try container.encode(member, forKey: .member)
            try container.encode(room, forKey: .room)
        case .author(let message, let room):
            try container.encode(message, forKey: .message)
            try container.encode(room, forKey: .room)
        case .moderate(let action, let room):
            try container.encode(action, forKey: .action)
            try container.encode(room, forKey: .room)
        case .recognize(let names): try container.encode(names, forKey: .names)
        case .blockedAddresses, .metrics, .unknown: break
        }
    }

    private var encodedKind: String {
        let kind: EncodedKind
        switch self {
        case .deliver: kind = .deliver
        case .change: kind = .change
        case .showTyping: kind = .showTyping
        case .waitUntil: kind = .waitUntil
        case .showMore: kind = .showMore
        case .users: kind = .users
        case .isPresent: kind = .isPresent
        case .locate: kind = .locate
        case .isIn: kind = .isIn
        case .join: kind = .join
        case .leave: kind = .leave
        case .member: kind = .member
        case .restriction: kind = .restriction
        case .restrictionOfAbsent: kind = .restrictionOfAbsent
        case .latestMessage: kind = .latestMessage
        case .author: kind = .author
        case .moderate: kind = .moderate
        case .block: kind = .block
        case .unblock: kind = .unblock
        case .blockedAddresses: kind = .blockedAddresses
        case .recognize: kind = .recognize
        case .metrics: kind = .metrics
        case .unknown(let name): return name
        }
        return kind.rawValue
    }
}
