/// A member of a room, as the network shows them now.
public struct RoomMember: Codable, Hashable, Sendable {
    /// The member.
    public let user: User
    /// The adapter's mark of this stay in the room: the next user with the same name has another one.
    public let stay: String

    /// Creates a member.
    public init(user: User, stay: String) { (self.user, self.stay) = (user, stay) }
}

/// What keeps a user out of a room, or silent there, in the network's own form.
///
/// It can be stored, so that exactly what was set is lifted later.
public struct RoomRestriction: Codable, Hashable, Sendable {
    /// The effect of a restriction.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// The user can't enter the room.
        case ban
        /// The user can't speak in the room.
        case quiet
    }

    /// The effect.
    public let kind: Kind
    /// Whom it is about, as the adapter writes it: a mask, or an address.
    public let subject: String

    /// Creates a restriction.
    public init(_ kind: Kind, of subject: String) { (self.kind, self.subject) = (kind, subject) }
}

/// An action of a room's moderator.
public enum ModerationAction: Hashable, Sendable {
    /// Makes a member an operator.
    case giveOperator(RoomMember)
    /// Takes the operator status from a member.
    case takeOperator(RoomMember)
    /// Lets a member speak in a moderated room.
    case giveVoice(RoomMember)
    /// Takes that right away.
    case takeVoice(RoomMember)
    /// Removes a member, who can come back.
    case kick(RoomMember, reason: String)
    /// Sets a restriction that ``RoomModeration/restriction(_:of:in:)`` has returned for a member.
    ///
    /// A ban removes the member too.
    case restrict(RoomMember, RoomRestriction, reason: String)
    /// Sets a restriction that ``RoomModeration/restriction(_:ofAbsent:in:)`` has returned.
    case restrictAbsent(RoomRestriction, reason: String)
    /// Retracts a message of anyone, for everyone in the room.
    case retract(Message.ID, reason: String)
    /// Lifts a restriction.
    ///
    /// If `ifOwn`, it isn't lifted if the network shows that somebody else has set it, with the code
    /// ``AdapterError/Code/setByOthers``.
    case lift(RoomRestriction, ifOwn: Bool)
    /// Sets the topic.
    case setTopic(String)
}
