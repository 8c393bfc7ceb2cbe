import DequeModule
import HeybotSupport

/// The queue of outgoing messages: the users who requested them take turns, so that no user can delay all others.
struct SendQueue: Sendable {
    /// After that long without an answer, nobody is interested in it any more.
    static let maxAge: Duration = .seconds(300)
    /// The same for an answer that could have been sent all that time, if others hadn't been before it.
    private static let maxAnswerAge: Duration = .seconds(60)
    /// Further urgent messages take turns like the others.
    private static let maxUrgent = 20

    private var bucket: TokenBucket
    private let limit: Int
    /// The domain of the robot's account.
    private let domain: String
    private var urgent = Deque<OutgoingMessage>()
    private var messages: FairQueue<OutgoingMessage>
    /// The number of messages that were dropped since the last report.
    private(set) var dropped = 0
    private var lastDropReport: Duration?
    /// When sending was enabled: messages wait until the rooms are joined.
    private(set) var openedAt: Duration?
    /// When the next message may expire.
    private var nextExpiryCheck: Duration?

    /// - Parameter domain: The domain of the robot's account.
    init(_ rateLimit: RateLimit, limit: Int, domain: String) {
        bucket = TokenBucket(rateLimit)
        self.domain = domain
        self.limit = max(limit, 1)
        messages = FairQueue(limit: self.limit)
    }

    /// In the order of turns; the messages of one requester stay in order.
    var unsent: [OutgoingMessage] { urgent + messages.elements }
    var count: Int { urgent.count + messages.count }

    mutating func open(at now: Duration) {
        openedAt = openedAt ?? now
        nextExpiryCheck = now
    }

    /// Adds a message.
    ///
    /// If the queue is full, the newest message of the requester who has most is dropped.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether the target is a person rather than a room.
    ///   - isOccupant: Whether the target is an occupant of a room of a known service.
    mutating func enqueue(_ message: OutgoingMessage, isPrivate: Bool, isOccupant: Bool = false) {
        nextExpiryCheck = min(nextExpiryCheck ?? .seconds(Int.max), Self.deadline(message, openedAt))
        if message.isUrgent, urgent.count < Self.maxUrgent, count < limit { return urgent.append(message) }
        let flow = FairQueue<OutgoingMessage>.Flow(
            isPrivate: isPrivate, target: message.target.description,
            requester: requester(of: message, isStranger: isPrivate && !isOccupant))
        if messages.append(message, in: flow) != nil { dropped += 1 }
    }

    /// Removes and returns the messages to a target, in the order of turns, except urgent ones.
    mutating func takeMessages(to target: JID) -> [OutgoingMessage] {
        let taken = messages.elements.filter { $0.target == target }
        if !taken.isEmpty { _ = messages.removeAll { $0.target == target } }
        return taken
    }

    /// Returns the key of the requester whose turns a message uses.
    ///
    /// In direct messages, all people of a foreign domain count as one: anyone can have a domain, and any number of addresses
    /// in it.
    private func requester(of message: OutgoingMessage, isStranger: Bool) -> String? {
        guard message.requester != nil, isStranger, message.target.domain != domain else {
            return message.requester?.turn
        }
        return "@\(message.target.domain)"
    }

    /// Returns the number of dropped messages and resets it, at most every ten seconds.
    mutating func takeDropCount(at now: Duration) -> Int? {
        guard let dropReportDue, dropReportDue <= now else { return nil }
        defer { dropped = 0 }
        lastDropReport = now
        return dropped
    }

    /// When the dropped messages are to be reported; nil if there are none.
    var dropReportDue: Duration? { dropped > 0 ? lastDropReport.map { $0 + .seconds(10) } ?? .zero : nil }

    /// Removes and returns the next message that can be sent now, if the rate limit allows one.
    mutating func next(at now: Duration, where canBeSent: (OutgoingMessage) -> Bool) -> OutgoingMessage? {
        guard openedAt != nil, bucket.isAvailable(at: now) else { return nil }
        if let index = urgent.firstIndex(where: canBeSent) { return urgent.remove(at: index) }
        return messages.popFirst(where: canBeSent)
    }

    /// Counts a message as sent.
    mutating func count(at now: Duration) { bucket.consume(at: now) }

    /// When a message may have expired.
    var expiry: Duration? { count > 0 ? nextExpiryCheck : nil }

    /// Removes expired messages, and returns their number.
    mutating func expire(at now: Duration, where canBeSent: (OutgoingMessage) -> Bool) -> Int {
        guard let expiry, expiry <= now else { return 0 }
        var next: Duration = .seconds(Int.max)
        let openedAt = openedAt
        func isExpired(_ message: OutgoingMessage) -> Bool {
            // If a room is unavailable, other messages aren't the reason for the wait.
            let isWaitingForRoom = !canBeSent(message)
            let deadline = isWaitingForRoom ? message.since + Self.maxAge : Self.deadline(message, openedAt)
            guard deadline > now else { return true }
            next = min(next, isWaitingForRoom ? min(deadline, now + Self.maxAnswerAge) : deadline)
            return false
        }
        let before = count
        urgent.removeAll(where: isExpired)
        _ = messages.removeAll(where: isExpired)
        nextExpiryCheck = next
        return before - count
    }

    private static func deadline(_ message: OutgoingMessage, _ openedAt: Duration?) -> Duration {
        let latest = message.since + maxAge
        guard message.requester != nil || message.isUrgent, let openedAt else { return latest }
        return min(latest, max(message.since, openedAt) + maxAnswerAge)
    }

    /// When the next message may be sent; nil if there is none that can be.
    func due(where canBeSent: (OutgoingMessage) -> Bool) -> Duration? {
        guard openedAt != nil, urgent.contains(where: canBeSent) || messages.hasFirst(where: canBeSent) else {
            return nil
        }
        return bucket.nextAvailable ?? .zero
    }
}
