/// Something to be said in a room or to somebody.
package struct Chat: Hashable, Sendable {
    /// A room, somebody in one, or somebody's own address.
    package var target: JID
    package var text: String
    /// When it was wanted, on the session's clock.
    package var since: Duration
    /// The person whose message it answers; nil if it answers nobody.
    ///
    /// What is said to an occupant of a room alone goes to that person only, whatever their nick is by then.
    package var asker: Asker?
    /// Whether it goes before all others: a warning that comes late is of no use.
    package var isUrgent: Bool

    /// Makes it of its parts; the text may have any length.
    package init(
        to target: JID, _ text: String, since: Duration = .zero, asker: Asker? = nil, isUrgent: Bool = false
    ) {
        self.target = target
        self.text = text
        self.since = since
        self.asker = asker
        self.isUrgent = isUrgent
    }
}
