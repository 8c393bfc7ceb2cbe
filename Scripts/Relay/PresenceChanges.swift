import Heybot

/// Who came and who left in a room within a minute, so that one line can say it.
struct PresenceChanges: Sendable {
    private static let mostUsers = 1_000
    private static let mostNames = 8
    private static let longestName = 20

    private struct Change: Sendable {
        let name: String
        let came: Bool
        let order: Int
    }

    /// The changes by user; a user who came and left has none.
    private var changes: [User.ID: Change] = [:]
    private var count = 0

    /// Adds that a user came or left.
    mutating func add(_ user: User, came: Bool) {
        if let known = changes[user.id] {
            if known.came != came { changes[user.id] = nil }
            return
        }
        guard changes.count < Self.mostUsers else { return }
        count += 1
        let name = String(oneLine: user.shortName, limit: Self.longestName)
        changes[user.id] = Change(name: name, came: came, order: count)
    }

    /// Returns the line for other rooms; nil if nothing has changed.
    func text(in room: Room.ID) -> RelayedText? {
        let all = changes.values.sorted { $0.order < $1.order }
        let parts = [true, false].compactMap { came -> String? in
            let names = all.filter { $0.came == came }.map { RelayMark.marking($0.name) }
            guard !names.isEmpty else { return nil }
            let more = names.count - Self.mostNames
            let list = names.prefix(Self.mostNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            return "\(list) \(came ? "came in" : "left")"
        }
        guard !parts.isEmpty else { return nil }
        return RelayedText(
            source: room, author: "", prefix: "* ", isAction: true, lines: [parts.joined(separator: "; ")])
    }
}
