import HeybotSupport

/// Limits how many lines of output get into the log.
struct LogRateLimiter: Sendable {
    /// Whether a line gets into the log.
    enum Verdict: Hashable {
        /// It does; with the number of dropped lines that the log doesn't mention yet, at most once a second.
        case yes(dropped: Int)
        case no
    }

    private var bucket: TokenBucket
    private var dropped = 0
    /// When the first of the dropped lines came.
    private var firstDropped: Duration?

    init(_ limit: RateLimit) { bucket = TokenBucket(limit) }

    mutating func admit(at now: Duration) -> Verdict {
        guard bucket.isAvailable(at: now) else {
            dropped += 1
            firstDropped = firstDropped ?? now
            return .no
        }
        bucket.consume(at: now)
        guard let first = firstDropped, now - first >= .seconds(1) else { return .yes(dropped: 0) }
        defer { (dropped, firstDropped) = (0, nil) }
        return .yes(dropped: dropped)
    }
}
