/// What somebody said or did in a room, or to us alone.
package enum RoomEvent: Hashable, Sendable {
    /// Words, without colours and the like.
    case text(String)
    case joined
    /// They left, or were made to, with these words.
    case left(String?)
    case topic(String)
}
