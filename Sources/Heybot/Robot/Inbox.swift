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
        var server: (@Sendable (Int) -> Void)?
        /// The number of the pass that takes them out, or has been called to; nil if none does.
        var pass: Int?
        var lastPass = 0
        /// What the pass has taken out last.
        var inHand: Delivery?
        /// Those that found no room, and who waits until they have.
        var waiting = Deque<(deliveries: ArraySlice<Delivery>, continuation: CheckedContinuation<Void, Never>)>()
        /// Who wants to hear of a message from anybody else than this person.
        var onOther: (user: User.ID, call: @Sendable () -> Void)?
        var isClosed = false

        /// Whom to call now, where there is something and nobody takes it out.
        mutating func call() -> (@Sendable () -> Void)? {
            guard pass == nil, !deliveries.isEmpty, let server else { return nil }
            lastPass += 1
            pass = lastPass
            return { [number = lastPass] in server(number) }
        }

        /// Whom to tell of these.
        mutating func others(_ deliveries: some Sequence<Delivery>) -> (@Sendable () -> Void)? {
            guard let user = onOther?.user, deliveries.contains(where: { $0.message.user.id != user }) else {
                return nil
            }
            return onOther.take()?.call
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
        var onOther: (@Sendable () -> Void)?
        let (isIn, isClosed, server): (Bool, Bool, (@Sendable () -> Void)?) = state.withLock {
            if $0.onOther != nil, let call = $0.others(deliveries) { onOther = call }
            let hasRoom = $0.waiting.isEmpty && $0.deliveries.count + deliveries.count <= capacity
            guard hasRoom, !$0.isClosed else { return (false, $0.isClosed, nil) }
            $0.deliveries.append(contentsOf: deliveries)
            return (true, false, $0.call())
        }
        server?()
        onOther?()
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
        var onOther: (@Sendable () -> Void)?
        let server: (@Sendable () -> Void)? = state.withLock {
            if $0.isClosed {
                (refused, rest) = (rest, [])
                return nil
            }
            if $0.onOther != nil, let call = $0.others(rest) { onOther = call }
            // Nobody passes those who wait already. (What was put back may have made it one too many.)
            let fitting = rest.prefix($0.waiting.isEmpty ? max(capacity - $0.deliveries.count, 0) : 0)
            $0.deliveries.append(contentsOf: fitting)
            rest = rest.dropFirst(fitting.count)
            if let waiter, !rest.isEmpty { $0.waiting.append((rest, waiter)) }
            return $0.call()
        }
        for delivery in refused { refuse(delivery) }
        server?()
        onOther?()
        return rest.isEmpty
    }

    /// Calls `server` with the number of a new pass whenever there is something and nobody to take it out.
    ///
    /// A pass is to call ``next(_:)`` until there is nothing more, or ``handOn(from:having:)``.
    func serve(_ server: @escaping @Sendable (Int) -> Void) {
        let call = state.withLock {
            $0.server = server
            return $0.call()
        }
        call?()
    }

    /// Leaves what there is, and what will come, to another pass.
    ///
    /// - Parameter delivery: What the pass took out and deals with. If it took another since, and hasn't looked at it, that
    ///   one keeps its place: it is the first that the other pass takes.
    func handOn(from pass: Int, having delivery: Delivery?) {
        let (refused, server): (Delivery?, (@Sendable () -> Void)?) = state.withLock {
            guard $0.pass == pass else { return (nil, nil) }
            var refused: Delivery?
            if let inHand = $0.inHand.take(), inHand !== delivery {
                if $0.isClosed { refused = inHand } else { $0.deliveries.prepend(inHand) }
            }
            $0.pass = nil
            return (refused, $0.call())
        }
        server?()
        if let refused { refuse(refused) }
    }

    /// Calls once there is a message from anybody else than this person.
    func whenOther(than user: User.ID, _ call: @escaping @Sendable () -> Void) {
        let isThere = state.withLock {
            if hasOther(than: user, $0) { return true }
            $0.onOther = (user, call)
            return false
        }
        if isThere { call() }
    }

    /// Whether there is a message from anybody else than this person.
    func hasOther(than user: User.ID) -> Bool { state.withLock { hasOther(than: user, $0) } }

    private func hasOther(than user: User.ID, _ state: borrowing State) -> Bool {
        state.deliveries.contains { $0.message.user.id != user }
            || state.waiting.contains { $0.deliveries.contains { $0.message.user.id != user } }
    }

    /// The next delivery for this pass, in the order they were put in; nil if there is none, so that another pass will be
    /// called, or if another pass has taken over.
    func next(_ pass: Int) -> Delivery? {
        let (delivery, done): (Delivery?, [CheckedContinuation<Void, Never>]) = state.withLock {
            guard $0.pass == pass else { return (nil, []) }
            guard let delivery = $0.deliveries.popFirst() else {
                $0.pass = nil
                $0.inHand = nil
                return (nil, [])
            }
            $0.inHand = delivery
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
            // What a pass has in hand it goes on with.
            $0 = State(pass: $0.pass, inHand: $0.inHand, isClosed: true)
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
