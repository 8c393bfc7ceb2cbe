import DequeModule
import Synchronization

/// The queue of messages that wait to be matched, in the order they came.
///
/// It is bounded, except for what ``putAll(_:)`` puts in. One pass of the dispatcher takes messages out at a time; it is identified
/// by a number.
final class InboundQueue: Sendable {
    private let capacity: Int
    private let inFlight: InFlightCounter
    /// Counts the adapters that are receiving; changed under the lock of the state.
    private let receiving = InFlightCounter()
    private let timers: TimerQueue
    private let onOverflow: @Sendable (DroppedMessages) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: The number of messages that it holds; at least 1.
    ///   - inFlight: Counts each message from the moment it is put in until the caller that takes it out ends it.
    ///   - onOverflow: Called with the messages that were dropped.
    init(
        capacity: Int, inFlight: InFlightCounter, timers: TimerQueue,
        onOverflow: @escaping @Sendable (DroppedMessages) -> Void = { _ in }
    ) {
        self.capacity = max(capacity, 1)
        self.inFlight = inFlight
        self.timers = timers
        self.onOverflow = onOverflow
    }

    /// The number of messages in the queue.
    var count: Int { state.withLock { $0.messages.count } }

    /// Whether a caller waits for space.
    var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Begins to receive messages, unless the robot is stopping: what is put in until ``endReceiving()`` can be handled even
    /// if the robot is stopped meanwhile.
    func beginReceiving() -> Bool {
        state.withLock {
            guard $0.phase == .open else { return false }
            receiving.begin()
            return true
        }
    }

    /// Ends what ``beginReceiving()`` has begun.
    func endReceiving() { receiving.end() }

    /// Puts messages in, in order.
    ///
    /// Returns when all are in.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait for space; nil to wait without a limit. After it, for each message that doesn't
    ///     fit, the newest of the sender with most messages is dropped.
    ///   - isTaken: Whether they are taken in while the queue drains: ``beginReceiving()`` has returned true for them, or the
    ///     robot's own code sends them.
    func put(_ messages: [InFlightMessage], timeout: Duration? = nil, whileDraining isTaken: Bool = false) async {
        for _ in messages { inFlight.begin() }
        let refused: Phase? = isTaken ? nil : .draining
        var rest = messages[...]
        // Usually they fit, without the cost of a continuation.
        if offer(&rest, timeout, refused, nil) { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if offer(&rest, timeout, refused, continuation) { continuation.resume() }
        }
    }

    /// Puts messages in, in order, also beyond the capacity: what has sent them limits their number.
    func putAll(_ messages: [InFlightMessage]) {
        for _ in messages { inFlight.begin() }
        var rest = messages[...]
        _ = offer(&rest, nil, .draining, nil, isLimited: false)
    }

    /// Puts in as many messages as fit, and makes `continuation` wait for the rest.
    ///
    /// - Parameters:
    ///   - refusing: A phase in which they are refused, besides the closed one.
    ///   - isLimited: Whether they wait for space, behind callers that wait already.
    /// - Returns: Whether none are left.
    private func offer(
        _ rest: inout ArraySlice<InFlightMessage>, _ timeout: Duration?, _ refusing: Phase?,
        _ continuation: CheckedContinuation<Void, Never>?, isLimited: Bool = true
    ) -> Bool {
        var refused: ArraySlice<InFlightMessage> = []
        var dropped: DroppedMessages?
        var waiter: Int?
        var otherSenderWaiter: (@Sendable () -> Void)?
        var onDelay: (@Sendable () -> Void)?
        let consumer: (@Sendable () -> Void)? = state.withLock {
            if $0.phase == .closed || $0.phase == refusing {
                (refused, rest) = (rest, [])
                return nil
            }
            if $0.otherSenderWaiter != nil, let call = $0.takeOtherSenderWaiter(rest) { otherSenderWaiter = call }
            // Callers that wait already come first. (A message that was put back may have exceeded the capacity by one.)
            let space = $0.waiters.isEmpty ? max(capacity - $0.messages.count, 0) : 0
            let fitting = isLimited ? rest.prefix(space) : rest
            $0.messages.append(contentsOf: fitting)
            rest = rest.dropFirst(fitting.count)
            if !rest.isEmpty, timeout != nil, $0.isOverflowing {
                dropped = $0.appendDroppingExcess(rest, capacity)
                rest = []
            } else if !rest.isEmpty, let continuation {
                $0.lastWaiter += 1
                waiter = $0.lastWaiter
                $0.waiters.append(BlockedSender(number: $0.lastWaiter, messages: rest, continuation: continuation))
            }
            if $0.isRunningClosures, !$0.messages.isEmpty { onDelay = $0.onDelay }
            return $0.startPass()
        }
        for inbound in refused { refuse(inbound) }
        if let dropped { report(dropped) }
        if let waiter, let timeout { timers.after(timeout) { [weak self] in self?.giveUp(waiter) } }
        consumer?()
        onDelay?()
        otherSenderWaiter?()
        return rest.isEmpty
    }

    /// Ends the wait of a caller whose timeout has passed, if it is still waiting.
    private func giveUp(_ number: Int) {
        let (dropped, done): (DroppedMessages?, [CheckedContinuation<Void, Never>]) = state.withLock {
            guard $0.waiters.contains(where: { $0.number == number }) else { return (nil, []) }
            // Earlier waiters come first.
            let done = refill(&$0)
            guard let index = $0.waiters.firstIndex(where: { $0.number == number }) else { return (nil, done) }
            let waiter = $0.waiters.remove(at: index)
            return ($0.appendDroppingExcess(waiter.messages, capacity), done + [waiter.continuation])
        }
        if let dropped { report(dropped) }
        for continuation in done { continuation.resume() }
    }

    private func report(_ dropped: DroppedMessages) {
        if dropped.messages.isEmpty { return }
        for inbound in dropped.messages { refuse(inbound) }
        onOverflow(dropped)
    }

    /// Sets what starts a pass: it is called with the pass's number whenever there are messages and no pass.
    ///
    /// A pass calls ``next(_:)`` until that returns nil, or ``endClosures(_:)`` returns false, or it calls
    /// ``handOver(from:processing:)``.
    ///
    /// - Parameter onDelay: Called whenever messages wait behind closures that a pass runs: ``checkClosures(_:)`` should be
    ///   called from then on.
    func setConsumer(
        _ consumer: @escaping @Sendable (Int) -> Void, onDelay: (@Sendable () -> Void)? = nil
    ) {
        let call = state.withLock {
            ($0.consumer, $0.onDelay) = (consumer, onDelay)
            return $0.startPass()
        }
        call?()
    }

    // MARK: Closures that a pass runs

    /// Records that a pass runs the closures of the message that it has taken out.
    ///
    /// The pass keeps the queue meanwhile. If the closures wait or compute for long, the queue is left to a new pass.
    func beginClosures(_ pass: Int) {
        let onDelay: (@Sendable () -> Void)? = state.withLock {
            guard $0.pass == pass else { return nil }
            $0.isRunningClosures = true
            $0.closureRuns &+= 1
            return $0.messages.isEmpty ? nil : $0.onDelay
        }
        onDelay?()
    }

    /// Records that the closures have ended.
    ///
    /// - Returns: False if the queue was left to another pass meanwhile.
    func endClosures(_ pass: Int) -> Bool {
        state.withLock {
            guard $0.pass == pass else { return false }
            $0.isRunningClosures = false
            return true
        }
    }

    /// Leaves the queue to a new pass if the pass is running closures, because they wait for something.
    func leaveClosures(of pass: Int) {
        let consumer: (@Sendable () -> Void)? = state.withLock {
            $0.pass == pass && $0.isRunningClosures ? $0.replacePass() : nil
        }
        consumer?()
    }

    /// Leaves the queue to a new pass if messages wait behind closures that were running at the last check already.
    ///
    /// - Parameter last: The number of the closures that ran at the last check; those that run now replace it.
    /// - Returns: Whether messages wait behind closures.
    func checkClosures(_ last: inout Int) -> Bool {
        var number = last
        let (isDelayed, consumer): (Bool, (@Sendable () -> Void)?) = state.withLock {
            guard $0.isRunningClosures, !$0.messages.isEmpty else { return (false, nil) }
            guard $0.closureRuns == number else {
                number = $0.closureRuns
                return (true, nil)
            }
            return (true, $0.replacePass())
        }
        last = number
        consumer?()
        return isDelayed
    }

    // MARK: Taking messages out

    /// Leaves the queue to a new pass.
    ///
    /// - Parameter inbound: The message that the old pass is processing. If the pass has taken out another one since, that one
    ///   goes back to the front of the queue.
    func handOver(from pass: Int, processing inbound: InFlightMessage?) {
        let (refused, consumer): (InFlightMessage?, (@Sendable () -> Void)?) = state.withLock {
            guard $0.pass == pass else { return (nil, nil) }
            var refused: InFlightMessage?
            if let current = $0.current.take(), current !== inbound {
                if $0.phase == .closed { refused = current } else { $0.messages.prepend(current) }
            }
            return (refused, $0.replacePass())
        }
        consumer?()
        if let refused { refuse(refused) }
    }

    /// Calls `call` once, as soon as there is a message from another user.
    func whenMessage(fromOtherThan user: User.ID, _ call: @escaping @Sendable () -> Void) {
        let isThere = state.withLock {
            if hasMessage(fromOtherThan: user, $0) { return true }
            $0.otherSenderWaiter = (user, call)
            return false
        }
        if isThere { call() }
    }

    /// Whether there is a message from another user, in the queue or waiting for space.
    func hasMessage(fromOtherThan user: User.ID) -> Bool { state.withLock { hasMessage(fromOtherThan: user, $0) } }

    private func hasMessage(fromOtherThan user: User.ID, _ state: borrowing State) -> Bool {
        state.messages.contains { $0.sender != user }
            || state.waiters.contains { $0.messages.contains { $0.sender != user } }
    }

    /// Removes and returns the oldest message.
    ///
    /// - Returns: Nil if there is none, which ends the pass, or if another pass has taken over.
    func next(_ pass: Int) -> InFlightMessage? {
        let (inbound, done): (InFlightMessage?, [CheckedContinuation<Void, Never>]) = state.withLock {
            guard $0.pass == pass else { return (nil, []) }
            let inbound = $0.messages.popFirst()
            return (inbound, noteTaken(inbound, &$0))
        }
        for continuation in done { continuation.resume() }
        return inbound
    }

    /// Removes and returns the oldest messages, in order.
    ///
    /// - Returns: None if there are none, which ends the pass, or if another pass has taken over.
    func next(_ pass: Int, upTo count: Int) -> [InFlightMessage] {
        let (taken, done): ([InFlightMessage], [CheckedContinuation<Void, Never>]) = state.withLock {
            guard $0.pass == pass else { return ([], []) }
            let taken = Array($0.messages.prefix(count))
            $0.messages.removeFirst(taken.count)
            return (taken, noteTaken(taken.last, &$0))
        }
        for continuation in done { continuation.resume() }
        return taken
    }

    /// Notes the message that the pass has taken out last; nil if there was none, which ends the pass.
    ///
    /// - Returns: The waiting callers whose messages are all in now.
    private func noteTaken(_ last: InFlightMessage?, _ state: inout State) -> [CheckedContinuation<Void, Never>] {
        state.current = last
        guard last != nil else {
            state.pass = nil
            return []
        }
        let isHalfEmpty = state.messages.count <= capacity / 2
        if isHalfEmpty { state.isOverflowing = false }
        // Waiters are resumed once half of the queue is empty: to resume them for each message would cost more than the
        // messages themselves. While messages are dropped, every free place would go to callers with a timeout, so waiters
        // get it first.
        return isHalfEmpty || state.isOverflowing ? refill(&state) : []
    }

    /// Moves waiting messages into the queue as far as they fit.
    ///
    /// - Returns: The callers whose messages are all in.
    private func refill(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        var done: [CheckedContinuation<Void, Never>] = []
        while state.messages.count < capacity, var waiter = state.waiters.popFirst() {
            let fitting = waiter.messages.prefix(capacity - state.messages.count)
            state.messages.append(contentsOf: fitting)
            waiter.messages = waiter.messages.dropFirst(fitting.count)
            if waiter.messages.isEmpty {
                done.append(waiter.continuation)
            } else {
                state.waiters.prepend(waiter)
            }
        }
        return done
    }

    /// Takes in no more messages, except those of adapters that are receiving already, and those of the robot's own code.
    ///
    /// Those inside are still given out.
    func drain() {
        state.withLock { if $0.phase == .open { $0.phase = .draining } }
    }

    /// Waits until the adapters have put in what they were receiving when ``drain()`` was called, or the task is canceled.
    func waitUntilReceived() async { await receiving.waitUntilIdle() }

    /// Closes the queue: messages are neither taken in nor given out any more.
    ///
    /// - Returns: The number of messages left unhandled.
    @discardableResult
    func close() -> Int {
        let (left, waiters) = state.withLock {
            let left = Array($0.messages) + $0.waiters.flatMap(\.messages)
            let waiters = $0.waiters
            // A running pass keeps the message that it is processing.
            $0 = State(pass: $0.pass, current: $0.current, phase: .closed)
            return (left, waiters)
        }
        for inbound in left { refuse(inbound) }
        for waiter in waiters { waiter.continuation.resume() }
        return left.count
    }

    /// Ends a message that isn't handled.
    private func refuse(_ inbound: InFlightMessage) {
        if inbound.end() { inFlight.end() }
    }
}
