/// A token bucket: it decides when the next event is allowed under a rate limit.
///
/// It is kept as a time: each event moves it on by an interval, and it may be ahead of the clock by a burst.
package struct TokenBucket: Hashable, Sendable {
    package let limit: RateLimit
    private var paidUntil: Duration?

    /// Creates a full bucket.
    package init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// The time from which on another event is allowed; nil if it is allowed at any time.
    package var nextAvailable: Duration? {
        guard limit.interval > .zero, let paidUntil else { return nil }
        return paidUntil - limit.interval * (limit.burst - 1)
    }

    /// Whether another event is allowed now.
    package func isAvailable(at now: Duration) -> Bool {
        nextAvailable.map { $0 <= now } ?? true
    }

    /// Whether the bucket is full again, as if no event had happened.
    package func isFull(at now: Duration) -> Bool {
        paidUntil.map { $0 <= now } ?? true
    }

    /// Counts an event that happens now, whether it is allowed or not.
    package mutating func consume(at now: Duration) {
        paidUntil = max(paidUntil ?? now, now) + limit.interval
    }
}

/// A rate limit: a number of events at once, then one for each interval.
package struct RateLimit: Hashable, Sendable {
    /// The number of events allowed at once; at least 1.
    package var burst: Int
    /// The time between two events when the burst is used up; zero for no limit.
    package var interval: Duration

    /// Creates a rate limit.
    ///
    /// The default follows RFC 1459, section 8.10: a few at once, then one at a time.
    package init(burst: Int = 5, interval: Duration = .seconds(1)) {
        self.burst = max(burst, 1)
        self.interval = max(interval, .zero)
    }
}
