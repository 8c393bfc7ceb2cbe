/// How far a room has been read by polling it.
struct RoomReading: Sendable {
    let room: String
    /// Whether each message waits for another poll, since the webhook may bring it, too, and knows that it is for us.
    private let waitsForWebhook: Bool
    private var hasBegun = false
    private var newest: Identifier?
    private var held: [MessagePage.Entry] = []
    /// How often in a row it could not be read, though others could.
    private var failures = 0
    /// How many rounds it is left out.
    private var rest = 0

    init(_ room: String, waitsForWebhook: Bool) {
        self.room = room
        self.waitsForWebhook = waitsForWebhook
    }

    var isFailing: Bool { failures > 0 }

    /// Whether it is to be read in this round.
    mutating func isDue() -> Bool {
        rest -= 1
        return rest < 0
    }

    /// It could not be read; returns whether that is new.
    ///
    /// - Parameter mostRest: The most rounds that it is left out.
    mutating func fail(mostRest: Int) -> Bool {
        rest = min((1 << min(failures, 10)), mostRest)
        failures += 1
        return failures == 1
    }

    /// It could be read; returns whether that is new.
    mutating func succeed() -> Bool {
        defer { failures = 0 }
        return failures > 0
    }

    /// Before which message to read another page, since there is more that is new; nil if there isn't.
    func nextPage(after page: MessagePage) -> Identifier? {
        guard hasBegun, page.hasMore, let oldest = page.entries.map(\.id).min() else { return nil }
        guard let newest else { return oldest }
        return oldest > newest ? oldest : nil
    }

    /// Takes what a poll brought; the first one tells only where the room's past ends.
    ///
    /// - Returns: What people said, oldest first.
    mutating func take(_ entries: [MessagePage.Entry]) -> [MessagePage.Entry] {
        let known = newest
        let fresh = entries.filter { entry in known.map { entry.id > $0 } ?? true }.sorted { $0.id < $1.id }
        newest = fresh.last?.id ?? known
        guard hasBegun else {
            hasBegun = true
            return []
        }
        let heard = fresh.filter { !$0.isFromBot }
        guard waitsForWebhook else { return heard }
        defer { held = heard }
        return held
    }
}

/// The last ids that were heard, so that nothing is heard twice.
struct SeenIDs: Sendable {
    private let limit: Int
    private var known: Set<String> = []
    /// In the order they came, as a ring.
    private var order: [String] = []
    private var oldest = 0

    /// - Parameter limit: How many are kept.
    init(limit: Int = 1_000) {
        self.limit = max(limit, 1)
    }

    /// Notes the id, and forgets the oldest if there is no room; false if it was known.
    mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if order.count < limit {
            order.append(id)
        } else {
            known.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % limit
        }
        return true
    }
}
