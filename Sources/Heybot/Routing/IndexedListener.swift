import Metrics
import Synchronization

/// A registered listener, with its position and the statistics of its matcher.
package final class IndexedListener: Sendable, Comparable {
    private struct MatchStatistics {
        /// The times of its matcher's recent slow matches.
        var slow: [Duration] = []
        var lastLogged: Duration?
        var matches: Counter?
    }

    /// A matcher is logged after this number of slow matches within this time, and then not again for a while: on a busy machine
    /// any matcher is slow occasionally.
    private static let (slowMatches, period, logInterval) = (5, Duration.seconds(600), Duration.seconds(3_600))

    let listener: Listener
    /// The number of listeners registered before it.
    let order: Int
    private let statistics = Mutex(MatchStatistics())

    init(_ listener: Listener, order: Int) {
        self.listener = listener
        self.order = order
    }

    /// Records a slow match.
    ///
    /// - Returns: Whether the matcher should be logged.
    func matchedSlowly(at now: Duration) -> Bool {
        statistics.withLock { statistics in
            statistics.slow = statistics.slow.filter { now - $0 < Self.period } + [now]
            guard statistics.slow.count >= Self.slowMatches else { return false }
            statistics.slow = []
            if let lastLogged = statistics.lastLogged, now - lastLogged < Self.logInterval { return false }
            statistics.lastLogged = now
            return true
        }
    }

    /// The counter of its matches, made on the first match, because there may be thousands of listeners that never match.
    func matches(_ make: () -> Counter) -> Counter {
        statistics.withLock { statistics in
            if let matches = statistics.matches { return matches }
            let matches = make()
            statistics.matches = matches
            return matches
        }
    }

    package static func < (one: IndexedListener, other: IndexedListener) -> Bool { one.order < other.order }
    package static func == (one: IndexedListener, other: IndexedListener) -> Bool { one === other }
}
