import DequeModule

/// The calls to the server that aren't answered yet: those that wait to be sent, and those that wait for their answer.
///
/// The server answers in the order it's asked, so the next answer is always the oldest call's. Pure: it knows neither the
/// connection nor the time but by what it's told.
struct CallQueue<Caller> {
    typealias Instant = ContinuousClock.Instant

    /// A command on its way, and who asked for it.
    struct Call {
        /// The command as it's sent.
        var bytes: [UInt8]
        /// What is sent instead if the server doesn't know the script that the command is about.
        var otherwise: [UInt8]?
        /// When its caller doesn't want to wait any more.
        let deadline: Instant
        /// Whether it does no harm to ask once more if it may have been done already.
        let mayRepeat: Bool
        /// Nil once the caller has been told that its time is over.
        var caller: Caller?
        /// When it was sent, if it was.
        fileprivate(set) var sentAt: Instant?

        init(bytes: [UInt8], otherwise: [UInt8]? = nil, deadline: Instant, mayRepeat: Bool, caller: Caller) {
            self.bytes = bytes
            self.otherwise = otherwise
            self.deadline = deadline
            self.mayRepeat = mayRepeat
            self.caller = caller
        }
    }

    /// Callers that get no answer any more.
    struct Left {
        /// Nothing was done for them.
        var undone: [Caller] = []
        /// Nobody knows whether what they wanted was done.
        var unknown: [Caller] = []
    }

    private var waiting: Deque<Call> = []
    private var sent: Deque<Call> = []
    private var sentBytes = 0
    /// How many bytes of commands may be on the way, but for one command that's longer.
    private let window: Int

    init(window: Int = 4 << 20) {
        self.window = window
    }

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty }
    /// Whether an answer is to come.
    var isAnswerDue: Bool { !sent.isEmpty }
    /// When the oldest call was sent whose answer is to come.
    var oldestSent: Instant? { sent.first?.sentAt }

    /// The next moment at which a call's time is over.
    var nextDeadline: Instant? {
        switch (sent.first { $0.caller != nil }?.deadline, waiting.first?.deadline) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    mutating func add(_ call: Call) { waiting.append(call) }

    /// The bytes to send next; nil if nothing waits, or enough is on its way.
    var next: [UInt8]? {
        guard let call = waiting.first, sent.isEmpty || sentBytes + call.bytes.count <= window else { return nil }
        return call.bytes
    }

    /// Notes that ``next`` is on its way.
    mutating func sentNext(at now: Instant) {
        guard var call = waiting.popFirst() else { return }
        call.sentAt = now
        sent.append(call)
        sentBytes += call.bytes.count
    }

    /// The call that an answer is for; nil if nothing was asked.
    mutating func answered() -> Call? {
        guard let call = sent.popFirst() else { return nil }
        sentBytes -= call.bytes.count
        return call
    }

    /// Has calls wait again that weren't done, in the order they were made.
    mutating func putBack(_ calls: [Call]) {
        let back = calls.filter { $0.caller != nil }
        if !back.isEmpty { waiting = Deque((back + waiting).sorted { $0.deadline < $1.deadline }) }
    }

    /// Deals with the loss of the connection: what may be asked once more waits again, the others are returned.
    mutating func lost() -> [Caller] {
        let lost = sent
        sent = []
        sentBytes = 0
        putBack(lost.filter(\.mayRepeat))
        return lost.filter { !$0.mayRepeat }.compactMap(\.caller)
    }

    /// Takes out the callers whose time is over.
    ///
    /// A call that was sent keeps its place, since its answer may still come.
    mutating func expired(at now: Instant) -> Left {
        var left = Left()
        for index in sent.indices where sent[index].deadline <= now {
            guard let caller = sent[index].caller else { continue }
            sent[index].caller = nil
            if sent[index].mayRepeat { left.undone.append(caller) } else { left.unknown.append(caller) }
        }
        if let first = waiting.first, first.deadline <= now {
            left.undone += waiting.filter { $0.deadline <= now }.compactMap(\.caller)
            waiting.removeAll { $0.deadline <= now }
        }
        return left
    }
}

extension CallQueue.Call: Sendable where Caller: Sendable {}
extension CallQueue.Left: Sendable where Caller: Sendable {}
