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

    /// Messages that arrive at most this long after they were sent are handled like any other, in seconds.
    ///
    /// The clocks of servers differ a little.
    private static let usualDelay: TimeInterval = 60
    /// How far the time of a message that a room repeats may be before the time at which the robot was last there, in seconds.
    private static let precision: TimeInterval = 2
    private static let max = 2_000

    /// How old a message may be that the robot has missed, in seconds.
    private let missedAge: TimeInterval
    /// When the robot was started: what servers have kept since before isn't handled.
    private let started: Date
    /// How long a message is remembered.
    private let retention: Duration
    private var stanzaIDs = RecentStanzaIDs()
    private var entries: [Key: Entry] = [:]
    /// The key of each of the robot's message ids.
    private var keys: [String: Key] = [:]

    /// - Parameters:
    ///   - missedAge: How old a message may be that the robot has missed.
    ///   - started: When the robot was started.
    init(missedAge: Duration, since started: Date) {
        self.missedAge = missedAge / .seconds(1)
        self.started = started
        retention = Swift.max(.seconds(600), missedAge + .seconds(60))
    }

    /// Whether a message is to be handled.
    func admits(_ event: IncomingEvent, at now: Duration, date: Date) -> Bool {
        guard case .text(let text) = event.content else { return true }
        guard isRecent(event, at: now, date: date) else { return false }
        // What a room repeats is delayed: other messages aren't looked up, because that takes time.
        if event.stamp != nil, let id = event.stanzaID, let room = event.room, stanzaIDs.contains(id, in: room) {
            return false
        }
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
        if let id = event.stanzaID, let room = event.room { stanzaIDs.record(id, in: room) }
        guard case .text(let text) = event.content, let id = event.senderID else { return }
        if entries.count >= Self.max || keys.count >= 2 * Self.max {
            entries = entries.filter { now - $0.value.since < retention }
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
        entries[key].flatMap { now - $0.since < retention ? $0 : nil }
    }

    private static func sender(_ event: IncomingEvent) -> JID { event.room == nil ? event.from.bare : event.from }

    /// Whether a message was sent so long ago that its user may no longer want it.
    func isLate(_ event: IncomingEvent, date: Date) -> Bool {
        guard let stamp = event.stamp, let sent = Self.date(stamp) else { return false }
        return date.timeIntervalSince(sent) > Self.usualDelay
    }

    /// Whether a message isn't too old; one that isn't delayed never is.
    private func isRecent(_ event: IncomingEvent, at now: Duration, date: Date) -> Bool {
        guard let stamp = event.stamp else { return true }
        guard let sent = Self.date(stamp) else { return false }
        let age = date.timeIntervalSince(sent)
        // A server keeps direct messages, and what it sends again on a resumed stream; a room keeps its history.
        let isKept = event.room == nil || event.isResent || event.missedSince != nil
        let longest = isKept ? Swift.max(Self.usualDelay, missedAge) : Self.usualDelay
        guard age >= -Self.usualDelay, age <= longest, sent >= started.addingTimeInterval(-Self.usualDelay) else {
            return false
        }
        guard let missedSince = event.missedSince else { return true }
        // Without an id, the robot can't know whether it has handled the message.
        guard event.stanzaID != nil || event.senderID != nil else { return false }
        let absence: TimeInterval = (now - missedSince) / .seconds(1)
        return age <= absence + Self.precision
    }

    /// Reads a time in the format of XEP-0082.
    private static func date(_ stamp: String) -> Date? {
        guard stamp.utf8.count <= 40 else { return nil }
        // Removes fractions of a second, which may have any number of digits.
        var whole = stamp
        if let dot = stamp.firstIndex(of: ".") {
            whole = String(stamp[..<dot]) + stamp[dot...].dropFirst().drop { $0.isNumber }
        }
        return try? Date(whole, strategy: .iso8601)
    }
}
