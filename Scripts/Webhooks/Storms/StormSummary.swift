import FoundationEssentials

extension Webhooks {
    /// What a webhook has received while its limit was exceeded: the lines themselves, or counts if there are too many.
    struct StormSummary: Sendable {
        /// The number of lines that are posted as they are.
        private static let mostLines = 5
        private static let mostEarlierLines = 20
        private static let mostNames = 5
        private static let mostCountedNames = 1_000

        let start: Date
        /// How often it couldn't be posted.
        var failures = 0
        /// The lines of summaries that robots had formatted, but not posted, when they stopped.
        private var earlier: [String] = []
        /// The lines; nil if there are too many.
        private var lines: [String]? = []
        private var fired: [String: Int] = [:]
        private var resolved: [String: Int] = [:]
        private var messages = 0
        private var lastMessage = ""

        init(start: Date) { self.start = start }

        /// Adds a notice.
        ///
        /// - Parameters:
        ///   - new: Its lines, with their label.
        ///   - changes: Its alerts that have changed.
        mutating func add(_ new: [String], changes: [Alert], isMessage: Bool) {
            if let all = lines {
                lines = all.count + new.count <= Self.mostLines ? all + new : nil
            }
            for alert in changes {
                if alert.isResolved {
                    Self.count(alert.name, in: &resolved)
                } else {
                    Self.count(alert.name, in: &fired)
                }
            }
            if isMessage {
                messages += 1
                lastMessage = new.first ?? ""
            }
        }

        /// Adds the lines of a summary that a robot hadn't posted when it stopped.
        mutating func add(earlier lines: [String]) { earlier = Array((earlier + lines).suffix(Self.mostEarlierLines)) }

        /// Adds what was received after this.
        mutating func add(_ later: StormSummary) {
            add(earlier: later.earlier)
            if let all = lines, let more = later.lines, all.count + more.count <= Self.mostLines {
                lines = all + more
            } else {
                lines = nil
            }
            for (name, count) in later.fired { Self.count(name, count, in: &fired) }
            for (name, count) in later.resolved { Self.count(name, count, in: &resolved) }
            messages += later.messages
            if !later.lastMessage.isEmpty { lastMessage = later.lastMessage }
        }

        /// Formats it: the earlier lines, and then the lines, or one about the alerts and one about other messages.
        ///
        /// - Parameters:
        ///   - label: The label of these lines.
        ///   - firing: The alerts that fire now.
        ///   - now: The current date.
        func text(label: String, firing: FiringAlerts, at now: Date) -> [String] {
            if let lines { return earlier + lines }
            var texts: [String] = []
            let seconds = Int(max(now.timeIntervalSince(start), 1).rounded())
            let parts = [("fired", fired), ("resolved", resolved)].filter { !$0.1.isEmpty }
            if !parts.isEmpty {
                let counts = parts.map { "\(Self.total($0.1)) \($0.0) (\(Self.list($0.1)))" }.joined(separator: ", ")
                texts.append("Alerts in \(seconds) seconds: \(counts). \(Self.now(firing))")
            }
            if messages > 0 {
                let what = messages == 1 ? "another message" : "\(messages) messages, the last"
                // The summary has the label too.
                let prefix = "[\(label)] "
                let last = lastMessage.hasPrefix(prefix) ? lastMessage.dropFirst(prefix.count) : lastMessage[...]
                texts.append("\(parts.isEmpty ? "In \(seconds) seconds: " : "And ")\(what): \(last)")
            }
            // If nothing has changed, the lines only repeated what was posted before.
            if texts.isEmpty { texts.append("Many alerts were repeated. \(Self.now(firing))") }
            return earlier + texts.map { "[\(label)] \($0)" }
        }

        private static func now(_ firing: FiringAlerts) -> String {
            if !firing.isComplete { return "At least \(firing.count) are firing: I can't count more." }
            // Others may have begun to fire before the robot started.
            if firing.count == 0 { return "None that I know of is firing now." }
            return "Firing now: \(firing.count) (\(list(firing.counts)))."
        }

        private static func count(_ name: String, _ count: Int = 1, in counts: inout [String: Int]) {
            let isKnown = counts[name] != nil || counts.count < mostCountedNames
            counts[isKnown ? name : "others", default: 0] += count
        }

        private static func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }

        /// Lists the names with the highest counts: `HighLatency 4000, DiskFull 3000, 12 others 2000`.
        private static func list(_ counts: [String: Int]) -> String {
            let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let names = sorted.prefix(mostNames).map { "\($0.key) \($0.value)" }
            let rest = sorted.dropFirst(mostNames)
            let others = rest.isEmpty ? [] : ["\(rest.count) others \(rest.reduce(0) { $0 + $1.value })"]
            return (names + others).joined(separator: ", ")
        }
    }
}
