import FoundationEssentials

extension Message {
    private enum CodingKeys: String, CodingKey {
        case id, user, room, content, time, isAddressed, isLate, isAction, origin
        case reply, thread, correction, attachments
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id), user: try container.decode(User.self, forKey: .user),
            room: try container.decode(Room.self, forKey: .room),
            content: try container.decode(Content.self, forKey: .content),
            time: try container.decode(Date.self, forKey: .time),
            isAddressed: try container.decodeIfPresent(Bool.self, forKey: .isAddressed) ?? false,
            origin: try container.decodeIfPresent(String.self, forKey: .origin))
        if try container.decodeIfPresent(Bool.self, forKey: .isLate) == true { isLate = true }
        if try container.decodeIfPresent(Bool.self, forKey: .isAction) == true { isAction = true }
        if let reply = try container.decodeIfPresent(Reply.self, forKey: .reply) { self.reply = reply }
        if let thread = try container.decodeIfPresent(String.self, forKey: .thread) { self.thread = thread }
        if let correction = try container.decodeIfPresent(ID.self, forKey: .correction) { self.correction = correction }
        if let attachments = try container.decodeIfPresent([AttachedFile].self, forKey: .attachments) {
            self.attachments = attachments
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(user, forKey: .user)
        try container.encode(room, forKey: .room)
        try container.encode(content, forKey: .content)
        try container.encode(time, forKey: .time)
        try container.encode(isAddressed, forKey: .isAddressed)
        if isLate { try container.encode(true, forKey: .isLate) }
        if isAction { try container.encode(true, forKey: .isAction) }
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(reply, forKey: .reply)
        try container.encodeIfPresent(thread, forKey: .thread)
        try container.encodeIfPresent(correction, forKey: .correction)
        if !attachments.isEmpty { try container.encode(attachments, forKey: .attachments) }
    }
}

extension Message.Content: Codable {
    private enum CodingKeys: String, CodingKey { case kind, text, message, added, removed, formerName, realName }
    private enum EncodedKind: String, Codable { case text, enter, leave, topic, reaction, retraction, profile }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try container.decode(EncodedKind.self, forKey: .kind) {
            case .text: .text(try container.decode(String.self, forKey: .text))
            case .enter: .enter
            case .leave: .leave(reason: try container.decodeIfPresent(String.self, forKey: .text))
            case .topic: .topic(try container.decode(String.self, forKey: .text))
            case .reaction:
                .reaction(
                    Message.Reaction(
                        to: try container.decode(Message.ID.self, forKey: .message),
                        added: try container.decodeIfPresent([String].self, forKey: .added) ?? [],
                        removed: try container.decodeIfPresent([String].self, forKey: .removed) ?? []))
            case .retraction: .retraction(of: try container.decode(Message.ID.self, forKey: .message))
            case .profile:
                .profile(
                    Message.ProfileChange(
                        formerName: try container.decodeIfPresent(String.self, forKey: .formerName),
                        realName: try container.decodeIfPresent(String.self, forKey: .realName)))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let text):
            try container.encode(EncodedKind.text, forKey: .kind)
            try container.encode(text, forKey: .text)
        case .enter:
            try container.encode(EncodedKind.enter, forKey: .kind)
        case .leave(let reason):
            try container.encode(EncodedKind.leave, forKey: .kind)
            try container.encodeIfPresent(reason, forKey: .text)
        case .topic(let text):
            try container.encode(EncodedKind.topic, forKey: .kind)
            try container.encode(text, forKey: .text)
        case .reaction(let reaction):
            try container.encode(EncodedKind.reaction, forKey: .kind)
            try container.encode(reaction.message, forKey: .message)
            if !reaction.added.isEmpty { try container.encode(reaction.added, forKey: .added) }
            if !reaction.removed.isEmpty { try container.encode(reaction.removed, forKey: .removed) }
        case .retraction(let message):
            try container.encode(EncodedKind.retraction, forKey: .kind)
            try container.encode(message, forKey: .message)
        case .profile(let change):
            try container.encode(EncodedKind.profile, forKey: .kind)
            try container.encodeIfPresent(change.formerName, forKey: .formerName)
            try container.encodeIfPresent(change.realName, forKey: .realName)
        }
    }
}
