import FoundationEssentials
import HeybotSupport
import HeybotXMPP

/// The recent messages by sender and id, so that no message is handled twice, and others can refer to them: a correction
/// (XEP-0308) only if it is by the sender of the original.
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
        /// The robot's id of the message.
        let message: String
        /// The requester's id, and not the one for rate limits, which the next user with the nick may share.
        let author: String
    }

    /// Messages that arrive at most this long after they were sent are handled like any other, in seconds.
    ///
    /// The clocks of servers differ a little.
    private static let usualDelay: TimeInterval = 60
    /// How far the time of a missed message may be before the time at which the robot was last there, in seconds.
    ///
    /// Clocks differ, and a server may deliver messages seconds after it has stored them.
    private static let precision: TimeInterval = 15
    private static let max = 2_000

    /// How old a message may be that the robot has missed, in seconds.
    private let missedAge: TimeInterval
    /// Messages that were sent before this time aren't handled.
    private let earliest: Date
    /// How much earlier a message may be whose stanza id shows that an earlier robot hasn't heard it, in seconds.
    private var restoredTolerance: TimeInterval = 0
    /// How long a message is remembered.
    private let retention: Duration
    private var stanzaIDs = RecentStanzaIDs()
    /// When a room or an archive last told what the robot has missed.
    private var lastMissed: Duration?
    private var entries: [Key: Entry] = [:]

    /// - Parameters:
    ///   - missedAge: How old a message may be that the robot has missed.
    ///   - started: When the robot was started.
    ///   - tolerance: How much older a message that a server has kept may be, in seconds.
    init(missedAge: Duration, since started: Date, tolerance: TimeInterval = 60) {
        self.missedAge = missedAge / .seconds(1)
        earliest = started.addingTimeInterval(-tolerance)
        retention = Swift.max(.seconds(600), missedAge + .seconds(60))
    }

    /// Whether a message is to be handled.
    func admits(_ event: IncomingEvent, at now: Duration, date: Date) -> Bool {
        guard isRecent(event, at: now, date: date) else { return false }
        // Other messages aren't looked up, because that takes time.
        if mayBeRepeated(event, at: now), let id = event.stanzaID, stanzaIDs.contains(id, in: event.room) {
            return false
        }
        guard case .text(let text) = event.content else { return true }
        if let id = event.senderID, let entry = entry(Key(sender: Self.sender(event), id: id), at: now),
            entry.text == text.hashValue
        {
            return false
        }
        return event.replaces == nil || original(of: event, at: now) != nil
    }

    /// Returns the robot's id of the message that another one corrects; nil if it isn't a recent message of the same person.
    ///
    /// If that is a correction itself, it is the id of the first message.
    func original(of event: IncomingEvent, at now: Duration) -> String? {
        guard let replaced = event.replaces, let entry = entry(Key(sender: Self.sender(event), id: replaced), at: now),
            entry.author == event.requester.id
        else { return nil }
        return entry.message
    }

    /// Returns the robot's id of the message that an event refers to by an id: the room's, or outside of rooms the sender's; nil
    /// if it isn't a recent message that the robot has received.
    func message(_ id: String, referredToBy event: IncomingEvent, at now: Duration) -> String? {
        if event.isPublic { return event.room.flatMap { stanzaIDs.message(id, in: $0) } }
        return entry(Key(sender: Self.sender(event), id: id), at: now)?.message
    }

    /// Records a message.
    ///
    /// - Parameters:
    ///   - message: The robot's id of the message.
    ///   - isHandled: Whether it is handled. If not, because it is too old, it would not be handled again either, and its
    ///     stanza id isn't kept in place of others.
    mutating func record(_ event: IncomingEvent, as message: String, isHandled: Bool = true, at now: Duration) {
        if event.missedSince != nil { lastMissed = now }
        if isHandled, let id = event.stanzaID { stanzaIDs.record(id, as: message, in: event.room, at: now) }
        guard case .text(let text) = event.content, let id = event.senderID else { return }
        // A correction of a correction is one of the first message.
        let first = original(of: event, at: now) ?? message
        if entries.count >= Self.max {
            entries = entries.filter { now - $0.value.since < retention }
            // The older half is removed: repeated messages come soon.
            if entries.count >= Self.max / 2 {
                let times = entries.values.map(\.since).sorted()
                let middle = times[times.count / 2]
                entries = entries.filter { $0.value.since > middle }
            }
        }
        entries[Key(sender: Self.sender(event), id: id)] = Entry(
            text: text.hashValue, since: now, message: first, author: event.requester.id)
    }

    /// Whether a message may have been heard before: it is delayed, or an archive may have found it before it arrived.
    private func mayBeRepeated(_ event: IncomingEvent, at now: Duration) -> Bool {
        event.stamp != nil || lastMissed.map { now - $0 < .seconds(60) } ?? false
    }

    /// What was heard shortly before a time, and since then, for the next robot.
    func heard(before time: Duration) -> [RecentStanzaIDs.HeardMessage] {
        stanzaIDs.recorded(since: time - .seconds(Self.usualDelay + Self.precision))
    }

    /// Records what an earlier robot has heard: other messages of that time got lost on their way, and are handled.
    mutating func restore(_ heard: [RecentStanzaIDs.HeardMessage], at now: Duration) {
        stanzaIDs.restore(heard, at: now)
        restoredTolerance = Self.usualDelay
    }

    private func entry(_ key: Key, at now: Duration) -> Entry? {
        entries[key].flatMap { now - $0.since < retention ? $0 : nil }
    }

    private static func sender(_ event: IncomingEvent) -> JID { event.room == nil ? event.from.bare : event.from }

    /// Whether a message was sent so long ago that its user may no longer want it.
    func isLate(_ event: IncomingEvent, date: Date) -> Bool {
        guard let stamp = event.stamp, let sent = DateTimeProfile.date(stamp) else { return false }
        return date.timeIntervalSince(sent) > Self.usualDelay
    }

    /// Whether a message isn't too old; one that isn't delayed never is.
    private func isRecent(_ event: IncomingEvent, at now: Duration, date: Date) -> Bool {
        guard let stamp = event.stamp else { return true }
        guard let sent = DateTimeProfile.date(stamp) else { return false }
        let age = date.timeIntervalSince(sent)
        // A server keeps direct messages, and what it sends again on a resumed stream; a room keeps its history.
        let isKept = event.room == nil || event.isResent || event.missedSince != nil
        let longest = isKept ? Swift.max(Self.usualDelay, missedAge) : Self.usualDelay
        // What the server sends again on a resumed stream is counted: the robot hasn't received it before.
        let first = event.stanzaID == nil ? earliest : earliest.addingTimeInterval(-restoredTolerance)
        guard age >= -Self.usualDelay, age <= longest, event.isResent || sent >= first else { return false }
        guard let missedSince = event.missedSince else { return true }
        // Without an id, the robot can't know whether it has handled the message.
        guard event.stanzaID != nil || event.senderID != nil else { return false }
        let absence: TimeInterval = (now - missedSince) / .seconds(1)
        return age <= absence + Self.precision
    }
}
