/// What is to be said as soon as there is a connection, bounded in number and time.
package struct Backlog<Item: Sendable>: Sendable {
    package private(set) var items: [Item] = []
    private let limit: Int
    private let since: @Sendable (Item) -> Duration

    /// Whoever has been silent for longer than that has no interest in an answer any more.
    private static var patience: Duration { .seconds(300) }

    /// - Parameter since: When an item was wanted.
    package init(limit: Int, since: @escaping @Sendable (Item) -> Duration) {
        self.limit = limit
        self.since = since
    }

    /// Keeps them, as far as there is room; tells how many were lost, and how many earlier ones have waited too long.
    package mutating func keep(_ new: [Item], at now: Duration) -> (lost: Int, expired: Int) {
        let expired = expire(at: now)
        let room = max(limit - items.count, 0)
        items += new.prefix(room)
        return (max(new.count - room, 0), expired)
    }

    /// Takes out all that is still worth saying; tells how many weren't any more.
    package mutating func take(at now: Duration) -> (items: [Item], expired: Int) {
        let expired = expire(at: now)
        defer { items = [] }
        return (items, expired)
    }

    /// Puts back what was taken and couldn't be said, before all that came since.
    package mutating func putBack(_ unsaid: [Item]) { items = unsaid + items }

    private mutating func expire(at now: Duration) -> Int {
        let count = items.count
        items.removeAll { now - since($0) >= Self.patience }
        return count - items.count
    }
}
