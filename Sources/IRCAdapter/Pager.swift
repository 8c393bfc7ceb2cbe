/// Keeps what a long answer has more than a page, for whoever asks for more.
struct Pager: Sendable {
    private var kept: [String: [String]] = [:]
    /// The rooms whose rest is kept, the one that has waited longest first.
    private var order: [String] = []
    private static let mostRooms = 100
    private static let mostLines = 2_000

    /// The lines of a page; zero where nothing is kept back.
    let size: Int

    init(size: Int) {
        self.size = size
    }

    /// The first page of the lines; the others are kept for that room, in place of what was.
    ///
    /// - Returns: The lines to say now, and how many are kept back.
    mutating func page(_ lines: [String], for room: String) -> (lines: ArraySlice<String>, more: Int) {
        // One line more is no longer than the word that there is one.
        guard size > 0, lines.count > size + 1 else { return (lines[...], 0) }
        if kept[room] == nil, order.count >= Self.mostRooms { kept[order.removeFirst()] = nil }
        order.removeAll { $0 == room }
        order.append(room)
        let rest = Array(lines.dropFirst(size).prefix(Self.mostLines))
        kept[room] = rest
        return (lines.prefix(size), rest.count)
    }

    /// The next page for a room, and how many lines are kept back after it; nil where there is none.
    mutating func next(for room: String) -> (lines: ArraySlice<String>, more: Int)? {
        guard let lines = kept.removeValue(forKey: room) else { return nil }
        order.removeAll { $0 == room }
        return page(lines, for: room)
    }
}
