import FoundationEssentials
import HeybotSupport
import HeybotXMPP

/// The recent messages by sender and id, so that no message is handled twice, and a correction (XEP-0308) only if the
/// original wasn't answered.
///
/// It is kept across connections: servers repeat messages if they don't know whether they have arrived (XEP-0198 section 6).
struct RecentMessages: Sendable {
    private struct Key: Hashable {
        /// An occupant of a room, or a person's bare address.
        let sender: JID
        let id: String
    }

    private struct Entry {
        var text: Int
        let since: Duration
        let isPublic: Bool
        /// Whether it was answered with more than a hint.
        var isAnswered = false
        /// Whether it was answered with a hint, because no script matched it.
        var isHinted = false
    }

    /// How long a message is remembered.
    private static let retention: Duration = .seconds(600)
    /// Messages that arrive later than this after they were sent are ignored.
    private static let maxDelay: TimeInterval = 60
    private static let max = 2_000

    private var entries: [Key: Entry] = [:]
    /// The key of each of the robot's message ids.
    private var keys: [String: Key] = [:]

    /// Whether a message is to be handled.
    func admits(_ event: IncomingEvent, at now: Duration, date: Date) -> Bool {
        guard case .text(let text) = event.content else { return true }
        if let stamp = event.stamp, !Self.isRecent(stamp, date) { return false }
        if let id = event.senderID, let entry = entry(Key(sender: Self.sender(event), id: id), at: now),
            entry.text == text.hashValue
        {
            return false
        }
        guard let replaced = event.replaces else { return true }
        guard let entry = entry(Key(sender: Self.sender(event), id: replaced), at: now) else { return false }
        // Every direct message gets an answer: if there is none yet, a script is working on it.
        return !entry.isAnswered && (entry.isPublic || entry.isHinted)
    }

    /// Records a message that is handled.
    ///
    /// - Parameter message: The robot's id of the message.
    mutating func record(_ event: IncomingEvent, as message: String, at now: Duration) {
        guard case .text(let text) = event.content, let id = event.senderID else { return }
        if entries.count >= Self.max || keys.count >= 2 * Self.max {
            entries = entries.filter { now - $0.value.since < Self.retention }
            // The older half is removed: repeated messages come soon.
            if entries.count >= Self.max / 2 {
                let times = entries.values.map(\.since).sorted()
                let middle = times[times.count / 2]
                entries = entries.filter { $0.value.since > middle }
            }
            keys = keys.filter { entries[$0.value] != nil }
            // Many messages can have the same id.
            if keys.count >= Self.max { keys = [:] }
        }
        let sender = Self.sender(event)
        entries[Key(sender: sender, id: id)] = Entry(text: text.hashValue, since: now, isPublic: event.isPublic)
        // A further correction refers to the original again.
        if let replaced = event.replaces {
            keys[message] = Key(sender: sender, id: replaced)
        } else {
            keys[message] = Key(sender: sender, id: id)
        }
    }

    /// Records that a message was answered.
    mutating func recordAnswer(_ message: String, isHint: Bool) {
        guard let key = keys[message] else { return }
        if isHint { entries[key]?.isHinted = true } else { entries[key]?.isAnswered = true }
    }

    private func entry(_ key: Key, at now: Duration) -> Entry? {
        entries[key].flatMap { now - $0.since < Self.retention ? $0 : nil }
    }

    private static func sender(_ event: IncomingEvent) -> JID { event.room == nil ? event.from.bare : event.from }

    /// Whether a time in the format of XEP-0082 is at most a minute away; the clocks of servers differ a little.
    private static func isRecent(_ stamp: String, _ date: Date) -> Bool {
        guard stamp.utf8.count <= 40 else { return false }
        // Removes fractions of a second, which may have any number of digits.
        var whole = stamp
        if let dot = stamp.firstIndex(of: ".") {
            whole = String(stamp[..<dot]) + stamp[dot...].dropFirst().drop { $0.isNumber }
        }
        guard let said = try? Date(whole, strategy: .iso8601) else { return false }
        return abs(date.timeIntervalSince(said)) <= maxDelay
    }
}
