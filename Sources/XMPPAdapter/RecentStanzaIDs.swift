import HeybotXMPP

/// The ids that rooms have given their latest messages (XEP-0359), so that no message is handled again when a room repeats it.
struct RecentStanzaIDs: Sendable {
    /// The ids of a room; a new one takes the place of the oldest.
    private struct LatestIDs: Sendable {
        var ids: [String] = []
        var oldest = 0

        mutating func record(_ id: String) {
            guard ids.count >= RecentStanzaIDs.maxPerRoom else { return ids.append(id) }
            ids[oldest] = id
            oldest = (oldest + 1) % RecentStanzaIDs.maxPerRoom
        }
    }

    /// As many as a room repeats.
    private static let maxPerRoom = 100
    private static let maxRooms = 500

    private var rooms: [JID: LatestIDs] = [:]

    /// Whether a room has given one of its latest messages this id.
    func contains(_ id: String, in room: JID) -> Bool { rooms[room]?.ids.contains(id) ?? false }

    /// Records the id of a message, in place of the oldest if there are too many.
    mutating func record(_ id: String, in room: JID) {
        if rooms.count >= Self.maxRooms, rooms[room] == nil { rooms = [:] }
        rooms[room, default: LatestIDs()].record(id)
    }
}
