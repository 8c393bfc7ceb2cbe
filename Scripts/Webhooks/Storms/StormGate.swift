import FoundationEssentials
import Synchronization

extension Webhooks {
    /// Limits what a webhook posts: a few lines at once, then one every ten seconds.
    ///
    /// The rest is summarized after half a minute.
    /// It knows which alerts fire, so that the end of none gets lost in a summary.
    struct StormGate: Sendable {
        /// What happens with a notice.
        enum Decision: Sendable {
            /// Its lines are posted now.
            case post([String])
            /// It becomes part of a summary, for which a timer must be set if `isNew`.
            case summarize(isNew: Bool)
            /// It says nothing new.
            case skip
        }

        /// The time from the first notice of a summary until it is due.
        static let delay: Duration = .seconds(30)
        private static let longestDelay = 120.0
        /// The number of lines at once; at least as many as a notice may have.
        private static let burst = 5.0
        /// The seconds after which another line is allowed.
        private static let interval = 10.0
        private static let mostIDs = 100
        private static let mostFailures = 20

        /// GitHub's checks that have failed; each webhook has its own, so that it can't affect another's room.
        let failingChecks = GitHub.FailingChecks()
        private var available = StormGate.burst
        private var lastDate: Date?
        /// The hashes of the last ids, which may be long.
        private var ids: [Int] = []
        private var firing = FiringAlerts()
        private var summary: StormSummary?
        /// When the timer of the summary was set.
        private var timerDate: Date?

        /// Whether nothing is to be posted.
        var isIdle: Bool { summary == nil && firing.count == 0 }

        /// Decides what happens with a notice.
        ///
        /// - Returns: The decision, and the notice's alerts that have changed, for ``revert(_:_:)``.
        mutating func admit(_ notice: Notice, label: String, at now: Date) -> (decision: Decision, changes: [Alert]) {
            if let id = notice.id, !claim(id) { return (.skip, []) }
            var notice = notice
            var changes: [Alert] = []
            var shown: [Alert] = []
            for alert in notice.alerts {
                let isChange = firing.record(alert)
                if isChange { changes.append(alert) }
                if isChange || !alert.isRoutine || !alert.isResolved { shown.append(alert) }
            }
            let isMessage = notice.alerts.isEmpty
            notice.alerts = shown
            let lines = notice.lines(label: label)
            if lines.isEmpty { return (.skip, changes) }
            refill(at: now)
            if summary == nil, available >= Double(lines.count) {
                available -= Double(lines.count)
                return (.post(lines), changes)
            }
            // A timer that is overdue was lost, for example while the script was disabled.
            let isOverdue = timerDate.map { abs(now.timeIntervalSince($0)) > Self.longestDelay } ?? true
            let isNew = summary == nil || isOverdue
            if isNew { timerDate = now }
            var current = summary ?? StormSummary(start: now)
            current.add(lines, changes: changes, isMessage: isMessage)
            summary = current
            return (.summarize(isNew: isNew), changes)
        }

        /// Undoes what was recorded of a notice that couldn't be posted, so that its repetition is posted.
        mutating func revert(_ notice: Notice, _ changes: [Alert]) {
            firing.revert(changes)
            if let id = notice.id { ids.removeAll { $0 == id.hashValue } }
        }

        /// Removes the summary that is due, and formats it; nil if there is none.
        mutating func takeSummary(label: String, at now: Date) -> (lines: [String], summary: StormSummary)? {
            guard let due = summary else { return nil }
            summary = nil
            timerDate = nil
            // In a storm that goes on, the next lines are summarized too.
            refill(at: now)
            available = 0
            return (due.text(label: label, firing: firing, at: now), due)
        }

        /// The lines of the summary that isn't due yet; empty if there is none.
        func pendingLines(label: String, at now: Date) -> [String] {
            summary?.text(label: label, firing: firing, at: now) ?? []
        }

        /// Adds the lines of a summary that a robot hadn't posted when it stopped.
        ///
        /// - Returns: Whether a timer must be set.
        mutating func resume(_ lines: [String], at now: Date) -> Bool {
            let isNew = summary == nil
            if isNew { timerDate = now }
            var current = summary ?? StormSummary(start: now)
            current.add(earlier: lines)
            summary = current
            return isNew
        }

        /// Puts a summary back that couldn't be posted.
        ///
        /// - Returns: Whether to try again after the delay; false if it has failed too often, and is dropped.
        mutating func putBack(_ failed: StormSummary, at now: Date) -> Bool {
            var failed = failed
            failed.failures += 1
            guard failed.failures < Self.mostFailures else { return false }
            let hasTimer = summary != nil
            if let later = summary { failed.add(later) }
            summary = failed
            if !hasTimer { timerDate = now }
            return !hasTimer
        }

        /// Records an id; false if it was recorded before.
        private mutating func claim(_ id: String) -> Bool {
            guard !ids.contains(id.hashValue) else { return false }
            if ids.count >= Self.mostIDs { ids.removeFirst() }
            ids.append(id.hashValue)
            return true
        }

        private mutating func refill(at now: Date) {
            // Absolute, since the clock may have been set back.
            let elapsed = lastDate.map { abs(now.timeIntervalSince($0)) } ?? 0
            lastDate = now
            available = min(available + elapsed / Self.interval, Self.burst)
        }
    }

    /// The gates of all webhooks, by name.
    ///
    /// They aren't persistent, except the summaries that a robot hasn't posted when it stops.
    final class StormGates: Sendable {
        private static let most = 200

        private let gates = Mutex<[WebhookName: StormGate]>([:])

        /// Uses the gate of a webhook.
        func use<Result: Sendable>(_ name: WebhookName, _ body: (inout StormGate) -> Result) -> Result {
            gates.withLock { gates in
                // Other robots that share the brain may have revoked webhooks.
                if gates.count >= Self.most { gates = gates.filter { !$0.value.isIdle } }
                return body(&gates[name, default: StormGate()])
            }
        }

        /// The lines of the summaries that aren't due yet, by webhook.
        func pendingLines(at now: Date) -> [WebhookName: [String]] {
            gates.withLock { gates in
                var pending: [WebhookName: [String]] = [:]
                for (name, gate) in gates {
                    let lines = gate.pendingLines(label: name.label, at: now)
                    if !lines.isEmpty { pending[name] = lines }
                }
                return pending
            }
        }

        /// Forgets the gate of a webhook that was revoked.
        func remove(_ name: WebhookName) {
            gates.withLock { _ = $0.removeValue(forKey: name) }
        }
    }
}
