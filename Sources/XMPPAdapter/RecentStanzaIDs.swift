import HeybotXMPP

/// The ids that rooms, and the account's server, have given their latest messages (XEP-0359), so that no message is handled
/// again when a room repeats it or an archive finds it, and others can refer to it.
struct RecentStanzaIDs: Sendable {
    /// The ids of a room or of the account's server; a new one takes the place of the oldest.
    private struct LatestIDs: Sendable {
        var ids: [String] = []
        /// The robot's ids of the same messages.
        var messages: [String] = []
        var oldest = 0

        mutating func record(_ id: String, as message: String) {
            guard ids.count >= RecentStanzaIDs.maxPerRoom else {
                ids.append(id)
                messages.append(message)
                return
            }
            (ids[oldest], messages[oldest]) = (id, message)
            oldest = (oldest + 1) % RecentStanzaIDs.maxPerRoom
        }
    }

    /// As many as a room repeats.
    private static let maxPerRoom = 100
    private static let maxRooms = 500

    /// By room; nil for the account's server.
    private var rooms: [JID?: LatestIDs] = [:]

    /// Whether a room has given one of its latest messages this id; nil for the account's server.
    func contains(_ id: String, in room: JID?) -> Bool { rooms[room]?.ids.contains(id) ?? false }

    /// Returns the robot's id of the message to which a room has given this id; nil if it isn't one of the latest.
    func message(_ id: String, in room: JID?) -> String? {
        guard let latest = rooms[room], let index = latest.ids.firstIndex(of: id) else { return nil }
        return latest.messages[index]
    }

    /// Records the id of a message, in place of the oldest if there are too many.
    ///
    /// - Parameter message: The robot's id of the message.
    mutating func record(_ id: String, as message: String, in room: JID?) {
        if rooms.count >= Self.maxRooms, rooms[room] == nil { rooms = [:] }
        rooms[room, default: LatestIDs()].record(id, as: message)
    }
}
