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
        let bytes: [UInt8]
        /// When its caller doesn't want to wait any more.
        let deadline: Instant
        /// Whether it does no harm to ask once more where it may have been done already.
        let mayRepeat: Bool
        let caller: Caller
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

    /// The next moment at which a call's time is over.
    var nextDeadline: Instant? {
        switch (sent.first?.deadline, waiting.first?.deadline) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    mutating func add(_ call: Call) { waiting.append(call) }

    /// The bytes to send next; nil where nothing waits, or enough is on its way.
    mutating func next() -> [UInt8]? {
        guard let call = waiting.first, sent.isEmpty || sentBytes + call.bytes.count <= window else { return nil }
        waiting.removeFirst()
        sent.append(call)
        sentBytes += call.bytes.count
        return call.bytes
    }

    /// The call that an answer is for; nil where nothing was asked.
    mutating func answered() -> Call? {
        guard let call = sent.popFirst() else { return nil }
        sentBytes -= call.bytes.count
        return call
    }

    /// Has calls wait again that weren't done; in the order they were answered, before all others.
    mutating func putBack(_ calls: [Call]) { waiting.prepend(contentsOf: calls) }

    /// Deals with the loss of the connection: what may be asked once more waits again, the others are returned.
    mutating func lost() -> [Caller] {
        let unknown = sent.filter { !$0.mayRepeat }.map(\.caller)
        waiting.prepend(contentsOf: sent.filter(\.mayRepeat))
        sent = []
        sentBytes = 0
        return unknown
    }

    /// Takes out the waiting calls whose time is over.
    ///
    /// One that was sent keeps its place, as its answer may still come; see ``isOverdue(at:)``.
    mutating func expired(at now: Instant) -> [Caller] {
        let expired = waiting.filter { $0.deadline <= now }
        if !expired.isEmpty { waiting.removeAll { $0.deadline <= now } }
        return expired.map(\.caller)
    }

    /// Whether the server has left a call without an answer for all of its time, so that the connection counts as dead.
    func isOverdue(at now: Instant) -> Bool { sent.first.map { $0.deadline <= now } ?? false }

    /// Takes out all.
    mutating func clear() -> [Caller] {
        defer {
            waiting = []
            sent = []
            sentBytes = 0
        }
        return (sent + waiting).map(\.caller)
    }
}

extension CallQueue.Call: Sendable where Caller: Sendable {}
