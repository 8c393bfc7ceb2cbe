/// What a user said or did in a room, or in a direct conversation.
package enum ChatEvent: Hashable, Sendable {
    /// A text, without formatting.
    case text(String)
    /// The user joined.
    case joined
    /// The user left or was removed, with a reason.
    case left(String?)
    /// The user changed the topic.
    case topic(String)
    /// The user added reactions to the message with this id, or removed them.
    case reaction(to: String, added: [String], removed: [String])
    /// The user, or a moderator of the room, retracted the message with this id.
    case retraction(of: String)
    /// The user, who has a new name, had this one before.
    case renamed(from: String)
    /// The user changed their real name to this one.
    case realName(String)
}
