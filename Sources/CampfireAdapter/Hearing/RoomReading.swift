/// How far a room has been read by polling it.
struct RoomReading: Sendable {
    let room: String
    /// Whether each message waits for another poll, since the webhook may bring it, too, and knows that it is for us.
    private let waitsForWebhook: Bool
    private var hasBegun = false
    private var newest: Identifier?
    private var held: [MessagePage.Entry] = []

    init(_ room: String, waitsForWebhook: Bool) {
        self.room = room
        self.waitsForWebhook = waitsForWebhook
    }

    /// Takes what a poll brought; the first one tells only where the room's past ends.
    ///
    /// - Returns: What people said, oldest first, and whether some is missing since there was more than fits into a page.
    mutating func take(_ page: MessagePage) -> (entries: [MessagePage.Entry], hasGap: Bool) {
        let known = newest
        let fresh = page.entries.filter { entry in known.map { entry.id > $0 } ?? true }.sorted { $0.id < $1.id }
        newest = fresh.last?.id ?? known
        guard hasBegun else {
            hasBegun = true
            return ([], false)
        }
        let hasGap = page.hasMore && !fresh.isEmpty && fresh.count == page.entries.count
        let heard = fresh.filter { !$0.isFromBot }
        guard waitsForWebhook else { return (heard, hasGap) }
        defer { held = heard }
        return (held, hasGap)
    }
}
