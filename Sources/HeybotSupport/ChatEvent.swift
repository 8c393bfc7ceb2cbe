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
}
