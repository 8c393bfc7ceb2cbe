import HeybotSupport

/// Limits how many lines of output get into the log.
struct LogRateLimiter: Sendable {
    /// Whether a line gets into the log, and how many before it didn't.
    enum Verdict: Hashable {
        case yes(dropped: Int)
        case no
    }

    private var bucket: TokenBucket
    private var dropped = 0

    init(_ limit: RateLimit) { bucket = TokenBucket(limit) }

    mutating func admit(at now: Duration) -> Verdict {
        guard bucket.isAvailable(at: now) else {
            dropped += 1
            return .no
        }
        bucket.consume(at: now)
        defer { dropped = 0 }
        return .yes(dropped: dropped)
    }
}
