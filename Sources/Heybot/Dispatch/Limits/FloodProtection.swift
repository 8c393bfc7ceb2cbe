import HeybotSupport

/// Limits the commands of each user, and breaks loops of bots that answer each other.
///
/// A user who exceeds the limit, for whom too many lines are queued, or who gets the same answer too often in a row is ignored
/// for a while, each time for longer. A command counts whether it is answered or not.
struct FloodProtection: Sendable {
    private struct UserRecord {
        var bucket: TokenBucket
        /// When the user is accepted again; nil if the user was never ignored.
        var ignoredUntil: Duration?
        /// How often the user was ignored in a row.
        var strikes = 0
        /// The ids of the latest messages that were counted.
        var counted: [String] = []
        /// The id of the latest message that was answered.
        var lastMessage: String?
        var lastAnswer = 0
        var lastTime: Duration = .zero
        var repeats = 0
        var lastSeen: Duration
    }

    /// The number of identical answers in a row after which a user is ignored.
    private static let maxRepeats = 10
    private static let maxIgnoreTime: Duration = .seconds(3_600)
    /// The longest time between two identical answers that count as a row.
    private static let pause: Duration = .seconds(90)
    /// The time without messages after which a user is forgotten.
    private static let forgetAfter: Duration = .seconds(600)
    private static let maxUsers = 1_000
    private static let maxCounted = 20
    /// The number of queued lines at which another answer gets the user ignored.
    private static let maxQueuedLines = 20

    private let limit: RateLimit
    private var users: [String: UserRecord] = [:]

    /// - Parameter limit: The number of commands at once, and the time until another.
    init(_ limit: RateLimit) { self.limit = limit }

    /// Whether a user's messages are accepted now.
    func allows(_ key: String, at now: Duration) -> Bool {
        if users.isEmpty { return true }
        return users[key]?.ignoredUntil.map { $0 <= now } ?? true
    }

    /// Counts a command, before it is handled.
    ///
    /// - Parameters:
    ///   - key: Identifies the user.
    ///   - message: The id of the message.
    /// - Returns: How long the user is ignored from now on; nil if the user isn't.
    mutating func countCommand(_ key: String, _ message: String, at now: Duration) -> Duration? {
        let limit = limit
        return change(key, at: now) { user in
            // On some networks the sender chooses the id: a repeated id is another command nevertheless.
            user.counted.removeAll { $0 == message }
            if user.lastMessage == message { user.lastMessage = nil }
            Self.count(message, &user, at: now)
            return Self.ignore(user.bucket.isAvailable(at: now) ? nil : limit, &user, at: now)
        }
    }

    /// Counts an answer to a user.
    ///
    /// All answers to one message count as one, and not at all if the message was counted as a command.
    ///
    /// - Parameter lines: The number of lines queued for the user before this answer.
    /// - Returns: How long the user is ignored from now on; nil if the user isn't.
    mutating func countAnswer(
        _ key: String, _ message: String, with text: String, lines: Int = 0, at now: Duration
    ) -> Duration? {
        let limit = limit
        return change(key, at: now) { user in
            guard user.lastMessage != message else { return nil }
            user.lastMessage = message
            // Bots answer each other at once, whereas a person may ask the same again tomorrow.
            let answer = text.hashValue
            let isRepeated = user.lastAnswer == answer && now - user.lastTime < Self.pause
            user.repeats = isRepeated ? user.repeats + 1 : 1
            (user.lastAnswer, user.lastTime) = (answer, now)
            Self.count(message, &user, at: now)
            let isTooMuch =
                !user.bucket.isAvailable(at: now) || user.repeats >= Self.maxRepeats || lines >= Self.maxQueuedLines
            return Self.ignore(isTooMuch ? limit : nil, &user, at: now)
        }
    }

    private mutating func change(
        _ key: String, at now: Duration, _ change: (inout UserRecord) -> Duration?
    ) -> Duration? {
        if users.count >= Self.maxUsers { users = users.filter { !isForgotten($0.value, at: now) } }
        // Users who are ignored stay so, however many others come.
        if users.count >= Self.maxUsers { users = users.filter { ($0.value.ignoredUntil ?? .zero) > now } }
        if users.count >= 2 * Self.maxUsers { users = [:] }
        var user = users[key] ?? UserRecord(bucket: TokenBucket(limit), lastSeen: now)
        if isForgotten(user, at: now) { user = UserRecord(bucket: TokenBucket(limit), lastSeen: now) }
        defer { users[key] = user }
        user.lastSeen = now
        return change(&user)
    }

    /// Counts a message, unless it was counted before.
    private static func count(_ message: String, _ user: inout UserRecord, at now: Duration) {
        if user.counted.contains(message) { return }
        if user.counted.count >= Self.maxCounted { user.counted.removeFirst() }
        user.counted.append(message)
        user.bucket.consume(at: now)
    }

    /// Ignores the user from now on, unless the user is ignored already or the limit is nil.
    ///
    /// - Returns: How long the user is ignored.
    private static func ignore(_ limit: RateLimit?, _ user: inout UserRecord, at now: Duration) -> Duration? {
        guard let limit, user.ignoredUntil.map({ $0 <= now }) ?? true else { return nil }
        if let ignoredUntil = user.ignoredUntil, now - ignoredUntil >= Self.forgetAfter { user.strikes = 0 }
        let ignoreTime = min(
            limit.interval * max(limit.burst / 2, 1) * (1 << min(user.strikes, 20)), Self.maxIgnoreTime)
        user.strikes += 1
        user.repeats = 0
        user.ignoredUntil = now + ignoreTime
        return ignoreTime
    }

    private func isForgotten(_ user: UserRecord, at now: Duration) -> Bool {
        now - max(user.lastSeen, user.ignoredUntil ?? .zero) >= Self.forgetAfter
    }
}
