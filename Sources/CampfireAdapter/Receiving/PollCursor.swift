/// A room's polling state.
struct PollCursor: Sendable {
    let room: String
    /// Whether messages are held until the next poll, because the webhook may deliver them too, and marks them as addressed to
    /// the robot.
    private let waitsForWebhook: Bool
    private var hasBegun = false
    private var newest: CampfireID?
    private var held: [MessagePage.Entry] = []
    /// The number of consecutive failures of this room while others succeeded.
    private var failures = 0
    /// How many rounds the room is skipped.
    private var roundsToSkip = 0

    init(_ room: String, waitsForWebhook: Bool) {
        self.room = room
        self.waitsForWebhook = waitsForWebhook
    }

    var isFailing: Bool { failures > 0 }

    /// Whether the room is polled in this round.
    mutating func isDue() -> Bool {
        roundsToSkip -= 1
        return roundsToSkip < 0
    }

    /// Records a failure.
    ///
    /// - Parameter mostRest: The most rounds to skip.
    /// - Returns: Whether it is the first failure in a row.
    mutating func fail(maxSkipped: Int) -> Bool {
        roundsToSkip = min((1 << min(failures, 10)), maxSkipped)
        failures += 1
        return failures == 1
    }

    /// Records a success.
    ///
    /// - Returns: Whether the room had failed before.
    mutating func succeed() -> Bool {
        defer { failures = 0 }
        return failures > 0
    }

    /// The message before which the next page begins; nil if there are no more new messages.
    func nextPage(after page: MessagePage) -> CampfireID? {
        guard hasBegun, page.hasMore, let oldest = page.entries.map(\.id).min() else { return nil }
        guard let newest else { return oldest }
        return oldest > newest ? oldest : nil
    }

    /// Handles the result of a poll.
    ///
    /// The first one only determines the newest message.
    ///
    /// - Returns: The users' new messages, oldest first.
    mutating func advance(_ entries: [MessagePage.Entry]) -> [MessagePage.Entry] {
        let known = newest
        let newEntries = entries.filter { entry in known.map { entry.id > $0 } ?? true }.sorted { $0.id < $1.id }
        newest = newEntries.last?.id ?? known
        guard hasBegun else {
            hasBegun = true
            return []
        }
        let userEntries = newEntries.filter { !$0.isFromBot }
        guard waitsForWebhook else { return userEntries }
        defer { held = userEntries }
        return held
    }
}

/// The most recent ids, to detect duplicates.
struct DeduplicationSet: Sendable {
    private let limit: Int
    private var known: Set<String> = []
    /// In order of insertion, as a ring buffer.
    private var order: [String] = []
    private var oldest = 0

    /// - Parameter limit: How many ids are kept.
    init(limit: Int = 1_000) {
        self.limit = max(limit, 1)
    }

    /// Inserts an id, in place of the oldest if the set is full.
    ///
    /// - Returns: False if the id is in the set already.
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
