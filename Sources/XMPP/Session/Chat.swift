/// Something to be said in a room or to somebody.
public struct Chat: Hashable, Sendable {
    /// A room, somebody in one, or somebody's own address.
    public var target: JID
    public var text: String
    /// When it was wanted, on the session's clock.
    public var since: Duration

    /// Makes it of its parts; the text may have any length.
    public init(to target: JID, _ text: String, since: Duration = .zero) {
        self.target = target
        self.text = text
        self.since = since
    }
}
