import HeybotXMPP

/// The ids that rooms, and the account's server, have given their latest messages (XEP-0359), so that no message is handled
/// again when a room repeats it or an archive finds it, and others can refer to it.
struct RecentStanzaIDs: Sendable {
    /// A message that a robot has heard, as it is stored for the next one.
    struct HeardMessage: Codable, Hashable, Sendable {
        /// The room's address; nil for a message outside of rooms.
        let room: String?
        /// The id that the room, or the account's server, has given it.
        let id: String
        /// The robot's id of the message.
        let message: String
    }

    /// The ids of a room or of the account's server; a new one takes the place of the oldest.
    private struct LatestIDs: Sendable {
        var ids: [String] = []
        /// The robot's ids of the same messages.
        var messages: [String] = []
        /// When the same messages were recorded.
        var times: [Duration] = []
        var oldest = 0

        mutating func record(_ id: String, as message: String, at now: Duration) {
            guard ids.count >= RecentStanzaIDs.maxPerRoom else {
                ids.append(id)
                messages.append(message)
                times.append(now)
                return
            }
            (ids[oldest], messages[oldest], times[oldest]) = (id, message, now)
            oldest = (oldest + 1) % RecentStanzaIDs.maxPerRoom
        }
    }

    /// More than what a busy room says within a minute.
    private static let maxPerRoom = 300
    private static let maxRooms = 500
    private static let maxKept = 2_000
    /// In bytes.
    private static let longestKeptID = 128

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
    mutating func record(_ id: String, as message: String, in room: JID?, at now: Duration) {
        if rooms.count >= Self.maxRooms, rooms[room] == nil { rooms = [:] }
        rooms[room, default: LatestIDs()].record(id, as: message, at: now)
    }

    /// Returns what was recorded since a time, for the next robot, the oldest first.
    func recorded(since time: Duration) -> [HeardMessage] {
        var heard: [(time: Duration, message: HeardMessage)] = []
        for (room, latest) in rooms {
            for index in latest.ids.indices.map({ ($0 + latest.oldest) % latest.ids.count }) {
                let (id, message) = (latest.ids[index], latest.messages[index])
                guard latest.times[index] >= time, id.utf8.count <= Self.longestKeptID else { continue }
                let entry = HeardMessage(room: room?.description, id: id, message: message)
                heard.append((latest.times[index], entry))
            }
        }
        // Sorting keeps the order within a room.
        return heard.sorted { $0.time < $1.time }.suffix(Self.maxKept).map(\.message)
    }

    /// Records what an earlier robot has heard.
    mutating func restore(_ heard: [HeardMessage], at now: Duration) {
        for message in heard.prefix(Self.maxKept) {
            let room = message.room.map { try? JID($0) }
            // Nil is the account's server.
            if let room, room == nil { continue }
            record(message.id, as: message.message, in: room ?? nil, at: now)
        }
    }
}
