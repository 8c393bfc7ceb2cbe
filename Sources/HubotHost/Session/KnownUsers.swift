import HeybotSupport

/// The users that the host knows.
struct KnownUsers: Sendable {
    private var users: [String: WireUser] = [:]

    /// The users, sorted by id.
    var all: [WireUser] { users.values.sorted { $0.id < $1.id } }

    /// Adds a user; false if it is known already, or if there are too many.
    mutating func add(_ user: WireUser, limit: Int) -> Bool {
        guard users[user.id] != user, users.count < limit || users[user.id] != nil else { return false }
        users[user.id] = user
        return true
    }
}

/// Limits how many lines of output get into the log.
struct OutputLimit: Sendable {
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
