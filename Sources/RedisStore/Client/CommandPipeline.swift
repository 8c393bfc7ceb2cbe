import DequeModule

/// The calls without a reply: those that wait to be sent, and those that wait for their reply.
///
/// The server replies in order, so the next reply belongs to the oldest call. It is a value without I/O and without a clock.
struct CommandPipeline<Caller> {
    typealias Instant = ContinuousClock.Instant

    /// A command with its caller.
    struct Call {
        /// The encoded command.
        var bytes: [UInt8]
        /// The command to send instead if the server doesn't know the script.
        var fallback: RedisCommand?
        /// When the caller stops waiting.
        let deadline: Instant
        /// Whether the command can be repeated without harm if it may have been executed.
        let isRetryable: Bool
        /// Nil once the caller has given up.
        var caller: Caller?
        /// When the command was sent.
        fileprivate(set) var sentAt: Instant?

        init(bytes: [UInt8], fallback: RedisCommand? = nil, deadline: Instant, isRetryable: Bool, caller: Caller) {
            self.bytes = bytes
            self.fallback = fallback
            self.deadline = deadline
            self.isRetryable = isRetryable
            self.caller = caller
        }
    }

    /// Callers that get no reply.
    struct ExpiredCallers {
        /// The commands that weren't executed.
        var notExecuted: [Caller] = []
        /// The commands that may have been executed or not.
        var unknown: [Caller] = []
    }

    private var waiting: Deque<Call> = []
    private var sent: Deque<Call> = []
    private var sentBytes = 0
    /// The maximum number of bytes sent without a reply; a single longer command is allowed.
    private let window: Int

    init(window: Int = 4 << 20) {
        self.window = window
    }

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty }
    /// Whether a reply is outstanding.
    var awaitsReply: Bool { !sent.isEmpty }
    /// When the oldest command without a reply was sent.
    var oldestSent: Instant? { sent.first?.sentAt }

    /// The next time at which a caller gives up.
    var nextDeadline: Instant? {
        switch (sent.first { $0.caller != nil }?.deadline, waiting.first?.deadline) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    mutating func add(_ call: Call) { waiting.append(call) }

    /// The bytes to send next; nil if nothing waits, or the window is full.
    var nextBytes: [UInt8]? {
        guard let call = waiting.first, sent.isEmpty || sentBytes + call.bytes.count <= window else { return nil }
        return call.bytes
    }

    /// Records that ``nextBytes`` was sent.
    mutating func markNextSent(at now: Instant) {
        guard var call = waiting.popFirst() else { return }
        call.sentAt = now
        sent.append(call)
        sentBytes += call.bytes.count
    }

    /// Removes and returns the call that a reply belongs to; nil if there is none.
    mutating func takeAnswered() -> Call? {
        guard let call = sent.popFirst() else { return nil }
        sentBytes -= call.bytes.count
        return call
    }

    /// Queues calls again that weren't executed, in their original order.
    mutating func putBack(_ calls: [Call]) {
        let back = calls.filter { $0.caller != nil }
        if !back.isEmpty { waiting = Deque((back + waiting).sorted { $0.deadline < $1.deadline }) }
    }

    /// Handles the loss of the connection: queues retryable calls again, and returns the callers of the others.
    mutating func connectionLost() -> [Caller] {
        let lost = sent
        sent = []
        sentBytes = 0
        putBack(lost.filter(\.isRetryable))
        return lost.filter { !$0.isRetryable }.compactMap(\.caller)
    }

    /// Removes and returns the callers that give up.
    ///
    /// A call that was sent keeps its place, because its reply may still come.
    mutating func removeExpired(at now: Instant) -> ExpiredCallers {
        var expired = ExpiredCallers()
        for index in sent.indices where sent[index].deadline <= now {
            guard let caller = sent[index].caller else { continue }
            sent[index].caller = nil
            if sent[index].isRetryable { expired.notExecuted.append(caller) } else { expired.unknown.append(caller) }
        }
        if let first = waiting.first, first.deadline <= now {
            expired.notExecuted += waiting.filter { $0.deadline <= now }.compactMap(\.caller)
            waiting.removeAll { $0.deadline <= now }
        }
        return expired
    }
}

extension CommandPipeline.Call: Sendable where Caller: Sendable {}
extension CommandPipeline.ExpiredCallers: Sendable where Caller: Sendable {}
