import DequeModule
import Synchronization

/// Where an adapter puts what happens.
///
/// It is bounded: while it is full, putting something in waits.
public struct Inbox: Sendable {
    let queue: DeliveryQueue
    let offers: @Sendable (User, Room) -> [HelpLine]

    /// Puts the message in; returns when there was room for it.
    ///
    /// A robot that is stopping takes nothing more.
    public func receive(_ message: Message) async {
        await queue.put([Delivery(message, turn: nil)])
    }

    /// Puts the messages in, in order; returns when there was room for all of them.
    ///
    /// For a service that sends many at once: it costs far less than one after the other.
    public func receive(_ messages: [Message]) async {
        await queue.put(messages.map { Delivery($0, turn: nil) })
    }

    /// Puts the messages in, in order, where there is room for all of them; false, and none is in, where there isn't.
    package func offer(_ messages: [Message]) -> Bool {
        queue.offer(messages.map { Delivery($0, turn: nil) })
    }

    /// Puts the message in, and returns when all it set in motion has ended, or waits for somebody's answer, or when the
    /// task is cancelled.
    public func handle(_ message: Message) async {
        let turn = Activity()
        await queue.put([Delivery(message, turn: turn)])
        await turn.idle()
    }

    /// The commands somebody may use in a room, sorted, without the robot's name: to complete what they type, or for a
    /// service's own menu of commands.
    public func commands(for user: User, in room: Room) -> [HelpLine] {
        offers(user, room)
    }
}

/// A message on its way through the robot, and what it has set in motion.
final class Delivery: Sendable {
    private let present: Mutex<Message>
    private let turn: Activity?
    private let finished = Atomic(false)
    private let answered = Atomic(0)
    private let ended = Atomic(false)

    init(_ message: Message, turn: Activity?) {
        present = Mutex(message.withBoundedMarks)
        self.turn = turn
        turn?.begin()
    }

    var message: Message { present.withLock { $0 } }

    /// Goes on with the message as middleware made it.
    func replaceMessage(_ message: Message) { present.withLock { $0 = message } }

    var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// How many times something was said in answer to it.
    var answers: Int { answered.load(ordering: .acquiring) }

    func countAnswer() { answered.add(1, ordering: .acquiringAndReleasing) }

    func finish() {
        finished.store(true, ordering: .releasing)
    }

    /// Everything it set in motion has ended, or waits for somebody; false where that was known already.
    func end() -> Bool {
        guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        turn?.end()
        return true
    }
}

/// A bounded queue of deliveries.
final class DeliveryQueue: Sendable {
    private struct State {
        var deliveries = Deque<Delivery>()
        /// What takes deliveries out when it is called.
        var server: (@Sendable () -> Void)?
        /// It does so, or has been called.
        var isServed = false
        /// Those that found no room, and who waits until they have.
        var waiting = Deque<(deliveries: ArraySlice<Delivery>, continuation: CheckedContinuation<Void, Never>)>()
        var isClosed = false

        /// Whom to call now, where there is something and nobody takes it out.
        mutating func call() -> (@Sendable () -> Void)? {
            guard !isServed, !deliveries.isEmpty, let server else { return nil }
            isServed = true
            return server
        }
    }

    private let capacity: Int
    private let activity: Activity
    private let state = Mutex(State())

    /// `activity` counts each delivery from the moment it is put in; whoever takes it out ends it.
    init(capacity: Int, activity: Activity) {
        self.capacity = max(capacity, 1)
        self.activity = activity
    }

    /// How many there are.
    var count: Int { state.withLock { $0.deliveries.count } }

    /// Whether somebody waits for room.
    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Puts them in where there is room for all of them; false where they would have to wait.
    func offer(_ deliveries: [Delivery]) -> Bool {
        for _ in deliveries { activity.begin() }
        let (isIn, isClosed, server): (Bool, Bool, (@Sendable () -> Void)?) = state.withLock {
            let hasRoom = $0.waiting.isEmpty && $0.deliveries.count + deliveries.count <= capacity
            guard hasRoom, !$0.isClosed else { return (false, $0.isClosed, nil) }
            $0.deliveries.append(contentsOf: deliveries)
            return (true, false, $0.call())
        }
        server?()
        if !isIn { for delivery in deliveries { refuse(delivery) } }
        return isIn || isClosed
    }

    func put(_ deliveries: [Delivery]) async {
        for _ in deliveries { activity.begin() }
        var rest = deliveries[...]
        // Most find room, without the cost of a continuation.
        if offer(&rest, nil) { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if offer(&rest, continuation) { continuation.resume() }
        }
    }

    /// Puts in as many as there is room for, and lets `waiter` wait for the others; false where there are others.
    private func offer(_ rest: inout ArraySlice<Delivery>, _ waiter: CheckedContinuation<Void, Never>?) -> Bool {
        var refused: ArraySlice<Delivery> = []
        let server: (@Sendable () -> Void)? = state.withLock {
            if $0.isClosed {
                (refused, rest) = (rest, [])
                return nil
            }
            // Nobody passes those who wait already. (What was put back may have made it one too many.)
            let fitting = rest.prefix($0.waiting.isEmpty ? max(capacity - $0.deliveries.count, 0) : 0)
            $0.deliveries.append(contentsOf: fitting)
            rest = rest.dropFirst(fitting.count)
            if let waiter, !rest.isEmpty { $0.waiting.append((rest, waiter)) }
            return $0.call()
        }
        for delivery in refused { refuse(delivery) }
        server?()
        return rest.isEmpty
    }

    /// Calls `server` whenever there is something and nobody to take it out.
    ///
    /// It is to call ``next()`` until there is nothing more, or ``handOn()``.
    func serve(_ server: @escaping @Sendable () -> Void) {
        state.withLock { $0.server = server }
        handOn()
    }

    /// Leaves what there is, and what will come, to another.
    func handOn() {
        let server = state.withLock {
            $0.isServed = false
            return $0.call()
        }
        server?()
    }

    /// Puts back what was taken last, to be taken next.
    func putBack(_ delivery: Delivery) {
        let (isRefused, server): (Bool, (@Sendable () -> Void)?) = state.withLock {
            if $0.isClosed { return (true, nil) }
            $0.deliveries.prepend(delivery)
            return (false, $0.call())
        }
        server?()
        if isRefused { refuse(delivery) }
    }

    /// The next delivery, in the order they were put in; nil where there is none, so that another will be called.
    func next() -> Delivery? {
        let (delivery, done): (Delivery?, [CheckedContinuation<Void, Never>]) = state.withLock {
            guard let delivery = $0.deliveries.popFirst() else {
                $0.isServed = false
                return (nil, [])
            }
            // Only once there is room for many: to wake whoever waits for each would cost more than the messages.
            guard $0.deliveries.count <= capacity / 2 else { return (delivery, []) }
            return (delivery, refill(&$0))
        }
        for continuation in done { continuation.resume() }
        return delivery
    }

    /// Puts in those that wait, as far as there is room; returns who needn't wait any longer.
    private func refill(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        var done: [CheckedContinuation<Void, Never>] = []
        while state.deliveries.count < capacity, let (deliveries, continuation) = state.waiting.popFirst() {
            let fitting = deliveries.prefix(capacity - state.deliveries.count)
            state.deliveries.append(contentsOf: fitting)
            let rest = deliveries.dropFirst(fitting.count)
            if rest.isEmpty { done.append(continuation) } else { state.waiting.prepend((rest, continuation)) }
        }
        return done
    }

    /// Takes nothing more in and gives nothing more out; tells how many messages were left unhandled.
    @discardableResult
    func close() -> Int {
        let (left, waiting) = state.withLock {
            let left = Array($0.deliveries) + $0.waiting.flatMap(\.deliveries)
            let waiting = $0.waiting
            $0 = State(isClosed: true)
            return (left, waiting)
        }
        for delivery in left { refuse(delivery) }
        for (_, continuation) in waiting { continuation.resume() }
        return left.count
    }

    private func refuse(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
