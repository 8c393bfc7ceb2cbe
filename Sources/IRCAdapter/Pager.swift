import HeybotIRC

/// Keeps what a long answer has more than a page, for whoever asks for more.
struct Pager: Sendable {
    private var kept: [String: (lines: [String], asker: Asker?, since: Duration)] = [:]
    private static let mostRooms = 50
    private static let mostLines = 500
    /// Whoever hasn't asked by then has forgotten it.
    private static let patience: Duration = .seconds(600)

    /// The lines of a page; zero if nothing is kept back.
    let size: Int

    init(size: Int) {
        self.size = size
    }

    /// The first page of the lines; the others are kept for that room, in place of what was, as far as there is room.
    ///
    /// - Returns: The lines to say now, and how many are kept back.
    mutating func page(
        _ lines: [String], for room: String, asker: Asker? = nil, at now: Duration
    ) -> (lines: ArraySlice<String>, more: Int) {
        kept = kept.filter { now - $0.value.since < Self.patience }
        // One line more is no longer than the word that there is one.
        guard size > 0, lines.count > size + 1 else { return (lines[...], 0) }
        if kept[room] == nil, kept.count >= Self.mostRooms {
            kept = kept.filter { [oldest = kept.values.map(\.since).min()] in $0.value.since != oldest }
        }
        let rest = Array(lines.dropFirst(size).prefix(Self.mostLines))
        kept[room] = (rest, asker, now)
        return (lines.prefix(size), rest.count)
    }

    /// Forgets what is kept for a person's nick, if it is for somebody else who had it.
    mutating func forget(_ nick: String, unlessFor asker: Asker) {
        if let kept = kept[nick], let known = kept.asker, !known.mayBe(asker) { self.kept[nick] = nil }
    }

    /// The next page for a room, and how many lines are kept back after it; nil if there is none.
    ///
    /// - Parameter person: The only one who may have it; nil for anybody in the room.
    mutating func next(for room: String, person: Asker? = nil, at now: Duration) -> (
        lines: ArraySlice<String>, more: Int
    )? {
        guard let (lines, asker, since) = kept.removeValue(forKey: room), now - since < Self.patience else {
            return nil
        }
        if let person, let asker, !asker.mayBe(person) { return nil }
        return page(lines, for: room, asker: asker, at: now)
    }
}
