/// Messages that are kept while there is no connection, bounded in number and time.
package struct OfflineQueue<Item: Sendable>: Sendable {
    package private(set) var items: [Item] = []
    private let limit: Int
    private let since: @Sendable (Item) -> Duration

    /// After this time, an answer is no longer of use to anyone.
    private static var expiry: Duration { .seconds(300) }

    /// - Parameter since: When an item was queued.
    package init(limit: Int, since: @escaping @Sendable (Item) -> Duration) {
        self.limit = limit
        self.since = since
    }

    /// Queues items as long as there is room.
    ///
    /// - Returns: How many were dropped, and how many earlier ones had expired.
    package mutating func keep(_ new: [Item], at now: Duration) -> (dropped: Int, expired: Int) {
        let expired = expire(at: now)
        let room = max(limit - items.count, 0)
        items += new.prefix(room)
        return (max(new.count - room, 0), expired)
    }

    /// Removes and returns the items that haven't expired, and the number of those that have.
    package mutating func take(at now: Duration) -> (items: [Item], expired: Int) {
        let expired = expire(at: now)
        defer { items = [] }
        return (items, expired)
    }

    /// Puts back items that couldn't be sent, before newer ones.
    package mutating func putBack(_ unsent: [Item]) { items = unsent + items }

    private mutating func expire(at now: Duration) -> Int {
        let count = items.count
        items.removeAll { now - since($0) >= Self.expiry }
        return count - items.count
    }
}
