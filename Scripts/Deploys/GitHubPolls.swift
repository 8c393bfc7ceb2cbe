import FoundationEssentials
import Synchronization

/// When GitHub may be asked again.
final class GitHubPolls: Sendable {
    private struct State {
        var last: [DeployID: Date] = [:]
        /// The ends of GitHub's limits, by the API's URL.
        var limits: [String: Date] = [:]
    }

    private let state = Mutex(State())

    /// Chooses the deploys to ask GitHub about now: those that it was asked about longest ago, if that is long enough.
    ///
    /// - Parameter interval: The time between two requests about one deploy, in seconds.
    func choose(_ ids: [DeployID], atMost count: Int, every interval: Double, at now: Date) -> [DeployID] {
        state.withLock { state in
            let known = Set(ids)
            state.last = state.last.filter { known.contains($0.key) }
            // Absolute, since the clock may have been set back.
            let due = ids.filter { id in
                state.last[id].map { abs(now.timeIntervalSince($0)) >= interval } ?? true
            }
            let last = state.last
            let chosen = due.sorted { (last[$0] ?? .distantPast) < (last[$1] ?? .distantPast) }.prefix(count)
            for id in chosen { state.last[id] = now }
            return Array(chosen)
        }
    }

    /// GitHub limits the requests until a date.
    func limit(_ service: String, until end: Date) { state.withLock { $0.limits[service] = end } }

    /// The end of the limit; nil if there is none now.
    func limit(of service: String, at now: Date) -> Date? {
        state.withLock { state in
            guard let end = state.limits[service] else { return nil }
            guard end > now else {
                state.limits[service] = nil
                return nil
            }
            return end
        }
    }
}
