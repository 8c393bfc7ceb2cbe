/// Tells when the next may happen at a pace.
///
/// It counts in time: each costs an interval, and so many may be owed.
package struct PaceMeter: Hashable, Sendable {
    package let pace: Pace
    private var paidUntil: Duration?

    /// Nothing has happened yet.
    package init(_ pace: Pace) {
        self.pace = pace
    }

    /// From when on one more may happen; nil if it may at any time.
    package var ready: Duration? {
        guard pace.interval > .zero, let paidUntil else { return nil }
        return paidUntil - pace.interval * (pace.burst - 1)
    }

    /// Whether one more may happen now.
    package func isReady(at now: Duration) -> Bool {
        ready.map { $0 <= now } ?? true
    }

    /// Whether all is as if nothing had ever happened.
    package func isRested(at now: Duration) -> Bool {
        paidUntil.map { $0 <= now } ?? true
    }

    /// Counts one that happens now, be it due or not.
    package mutating func count(at now: Duration) {
        paidUntil = max(paidUntil ?? now, now) + pace.interval
    }
}

/// How fast something may happen: so often at once, and then once in an interval.
package struct Pace: Hashable, Sendable {
    /// How often at once; at least 1.
    package var burst: Int
    /// The time between two when the burst is used up; zero if there is no limit.
    package var interval: Duration

    /// As RFC 1459 section 8.10 has it in spirit: a few at once, then one after another.
    package init(burst: Int = 5, interval: Duration = .seconds(1)) {
        self.burst = max(burst, 1)
        self.interval = max(interval, .zero)
    }
}
