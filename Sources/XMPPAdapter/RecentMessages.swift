import FoundationEssentials
import HeybotSupport
import HeybotXMPP

/// What was said lately, by sender and by what they call it: so that nothing is heard twice, and a correction (XEP-0308) only
/// of what nothing was done about.
///
/// It outlives connections: servers send again what they don't know to have arrived (XEP-0198 section 6).
struct RecentMessages: Sendable {
    private struct Key: Hashable {
        /// Somebody in a room, or somebody's own address without its resource.
        let sender: JID
        let id: String
    }

    private struct Entry {
        var text: Int
        let since: Duration
        let isPublic: Bool
        /// It was answered with more than a hint.
        var isAnswered = false
        /// It was answered with a hint: nobody understood it.
        var isHinted = false
    }

    /// How long a message is known for one that came before.
    private static let memory: Duration = .seconds(600)
    /// What is told later than that after it was said isn't heard.
    private static let longestDelay: TimeInterval = 60
    private static let most = 2_000

    private var entries: [Key: Entry] = [:]
    /// Which entry a message of the robot's stands for.
    private var keys: [String: Key] = [:]

    /// Whether a message is to be heard now.
    func admits(_ heard: Heard, at now: Duration, date: Date) -> Bool {
        guard case .text(let text) = heard.content else { return true }
        if let stamp = heard.stamp, !Self.isRecent(stamp, date) { return false }
        if let id = heard.senderID, let entry = entry(Key(sender: Self.sender(heard), id: id), at: now),
            entry.text == text.hashValue
        {
            return false
        }
        guard let replaced = heard.replaces else { return true }
        guard let entry = entry(Key(sender: Self.sender(heard), id: replaced), at: now) else { return false }
        // In private each message is answered: what isn't yet is being worked on.
        return !entry.isAnswered && (entry.isPublic || entry.isHinted)
    }

    /// Takes note of a message that is heard.
    ///
    /// - Parameter message: What the robot calls it.
    mutating func take(_ heard: Heard, as message: String, at now: Duration) {
        guard case .text(let text) = heard.content, let id = heard.senderID else { return }
        if entries.count >= Self.most || keys.count >= 2 * Self.most {
            entries = entries.filter { now - $0.value.since < Self.memory }
            // The older half goes: what is sent again comes soon.
            if entries.count >= Self.most / 2 {
                let times = entries.values.map(\.since).sorted()
                let middle = times[times.count / 2]
                entries = entries.filter { $0.value.since > middle }
            }
            keys = keys.filter { entries[$0.value] != nil }
            // Many messages may have gone by one id.
            if keys.count >= Self.most { keys = [:] }
        }
        let sender = Self.sender(heard)
        entries[Key(sender: sender, id: id)] = Entry(text: text.hashValue, since: now, isPublic: heard.isPublic)
        // A further correction names the first message again.
        if let replaced = heard.replaces {
            keys[message] = Key(sender: sender, id: replaced)
        } else {
            keys[message] = Key(sender: sender, id: id)
        }
    }

    /// Something was said in answer to a message.
    mutating func answered(_ message: String, isHint: Bool) {
        guard let key = keys[message] else { return }
        if isHint { entries[key]?.isHinted = true } else { entries[key]?.isAnswered = true }
    }

    private func entry(_ key: Key, at now: Duration) -> Entry? {
        entries[key].flatMap { now - $0.since < Self.memory ? $0 : nil }
    }

    private static func sender(_ heard: Heard) -> JID { heard.room == nil ? heard.from.bare : heard.from }

    /// Whether a time as XEP-0082 writes it is no longer ago than a minute; clocks of servers differ a little.
    private static func isRecent(_ stamp: String, _ date: Date) -> Bool {
        guard stamp.utf8.count <= 40 else { return false }
        // Fractions of a second, which may have any number of digits.
        var whole = stamp
        if let dot = stamp.firstIndex(of: ".") {
            whole = String(stamp[..<dot]) + stamp[dot...].dropFirst().drop { $0.isNumber }
        }
        guard let said = try? Date(whole, strategy: .iso8601) else { return false }
        return abs(date.timeIntervalSince(said)) <= longestDelay
    }
}
