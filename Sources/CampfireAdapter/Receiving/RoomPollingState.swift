/// A room's polling state.
struct RoomPollingState: Sendable {
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
