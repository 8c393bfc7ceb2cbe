import DequeModule
import Synchronization

/// The messages that wait to be matched, in the order they came: bounded, with one pass over them at a time.
final class DeliveryQueue: Sendable {
    /// Deliveries that found no room yet, and the caller that waits for it.
    private struct Waiter {
        let number: Int
        var deliveries: ArraySlice<Delivery>
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Deliveries that were dropped.
    struct Loss {
        let deliveries: [Delivery]
        /// Whether none were dropped before since half of the queue was free last.
        let isNew: Bool
    }

    private struct State {
        var deliveries = Deque<Delivery>()
        /// What takes deliveries out when it is called.
        var server: (@Sendable (Int) -> Void)?
        /// The number of the pass that takes them out, or has been called to; nil if none does.
        var pass: Int?
        var lastPass = 0
        /// What the pass has taken out last.
        var inHand: Delivery?
        /// The callers that wait for room, in order.
        var waiters = Deque<Waiter>()
        var lastWaiter = 0
        /// Whether deliveries were dropped since half of it was free last.
        var isLosing = false
        /// Who wants to hear of a message from anybody else than this person.
        var onOther: (user: User.ID, call: @Sendable () -> Void)?
        var isClosed = false

        /// Whom to call now, if there is something and nobody takes it out.
        mutating func call() -> (@Sendable () -> Void)? {
            guard pass == nil, !deliveries.isEmpty, let server else { return nil }
            lastPass += 1
            pass = lastPass
            return { [number = lastPass] in server(number) }
        }

        /// Puts deliveries in, for each that finds no room the newest of whoever has most there is dropped, maybe this one.
        mutating func squeeze(_ added: ArraySlice<Delivery>, _ capacity: Int) -> Loss {
            var counts: [User.ID: Int] = [:]
            for delivery in deliveries { counts[delivery.message.sender, default: 0] += 1 }
            var most = counts.max { $0.value < $1.value }
            var lost: [Delivery] = []
            for delivery in added {
                let user = delivery.message.sender
                let mine = counts[user, default: 0]
                if deliveries.count >= capacity {
                    guard let other = most, other.value > mine + 1,
                        let index = deliveries.lastIndex(where: { $0.message.sender == other.key })
                    else {
                        lost.append(delivery)
                        continue
                    }
                    lost.append(deliveries.remove(at: index))
                    counts[other.key] = other.value - 1
                }
                counts[user] = mine + 1
                deliveries.append(delivery)
                most = counts.max { $0.value < $1.value }
            }
            defer { isLosing = isLosing || !lost.isEmpty }
            return Loss(deliveries: lost, isNew: !isLosing)
        }

        /// Whom to tell of these.
        mutating func others(_ deliveries: some Sequence<Delivery>) -> (@Sendable () -> Void)? {
            guard let user = onOther?.user, deliveries.contains(where: { $0.message.sender != user }) else {
                return nil
            }
            return onOther.take()?.call
        }
    }

    private let capacity: Int
    private let activity: Activity
    private let timers: Timers
    private let onLoss: @Sendable (Loss) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: How many deliveries it holds; at least 1.
    ///   - activity: Counts each delivery from the moment it is put in; whoever takes it out ends it.
    ///   - onLoss: Gets what was dropped.
    init(capacity: Int, activity: Activity, timers: Timers, onLoss: @escaping @Sendable (Loss) -> Void = { _ in }) {
        self.capacity = max(capacity, 1)
        self.activity = activity
        self.timers = timers
        self.onLoss = onLoss
    }

    /// How many there are.
    var count: Int { state.withLock { $0.deliveries.count } }

    /// Whether somebody waits for room.
    var hasWaiting: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Puts them in, in order; returns when there was room for all.
    ///
    /// - Parameter patience: How long to wait for room at most; nil for as long as it takes. After that those are dropped that
    ///   find none, of whoever has most.
    func put(_ deliveries: [Delivery], patience: Duration? = nil) async {
        for _ in deliveries { activity.begin() }
        var rest = deliveries[...]
        // Most find room, without the cost of a continuation.
        if offer(&rest, patience, nil) { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if offer(&rest, patience, continuation) { continuation.resume() }
        }
    }

    /// Puts in as many as there is room for, and lets `continuation` wait for the others; false if there are others.
    private func offer(
        _ rest: inout ArraySlice<Delivery>, _ patience: Duration?, _ continuation: CheckedContinuation<Void, Never>?
    ) -> Bool {
        var refused: ArraySlice<Delivery> = []
        var loss: Loss?
        var waiter: Int?
        var onOther: (@Sendable () -> Void)?
        let server: (@Sendable () -> Void)? = state.withLock {
            if $0.isClosed {
                (refused, rest) = (rest, [])
                return nil
            }
            if $0.onOther != nil, let call = $0.others(rest) { onOther = call }
            // Nobody passes those who wait already. (What was put back may have made it one too many.)
            let fitting = rest.prefix($0.waiters.isEmpty ? max(capacity - $0.deliveries.count, 0) : 0)
            $0.deliveries.append(contentsOf: fitting)
            rest = rest.dropFirst(fitting.count)
            if !rest.isEmpty, patience != nil, $0.isLosing {
                loss = $0.squeeze(rest, capacity)
                rest = []
            } else if !rest.isEmpty, let continuation {
                $0.lastWaiter += 1
                waiter = $0.lastWaiter
                $0.waiters.append(Waiter(number: $0.lastWaiter, deliveries: rest, continuation: continuation))
            }
            return $0.call()
        }
        for delivery in refused { refuse(delivery) }
        if let loss { lose(loss) }
        if let waiter, let patience { timers.after(patience) { [weak self] in self?.giveUp(waiter) } }
        server?()
        onOther?()
        return rest.isEmpty
    }

    /// Lets a caller that has waited long enough go on, if it still waits.
    private func giveUp(_ number: Int) {
        let (loss, done): (Loss?, [CheckedContinuation<Void, Never>]) = state.withLock {
            guard $0.waiters.contains(where: { $0.number == number }) else { return (nil, []) }
            // Those who came before it get their places first.
            let done = refill(&$0)
            guard let index = $0.waiters.firstIndex(where: { $0.number == number }) else { return (nil, done) }
            let waiter = $0.waiters.remove(at: index)
            return ($0.squeeze(waiter.deliveries, capacity), done + [waiter.continuation])
        }
        if let loss { lose(loss) }
        for continuation in done { continuation.resume() }
    }

    private func lose(_ loss: Loss) {
        if loss.deliveries.isEmpty { return }
        for delivery in loss.deliveries { refuse(delivery) }
        onLoss(loss)
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
        state.deliveries.contains { $0.message.sender != user }
            || state.waiters.contains { $0.deliveries.contains { $0.message.sender != user } }
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
            let isRoomy = $0.deliveries.count <= capacity / 2
            if isRoomy { $0.isLosing = false }
            // Only once there is room for many: to wake callers for each message would cost more than the messages. But while
            // messages are dropped, every free place would go to callers that don't wait.
            guard isRoomy || $0.isLosing else { return (delivery, []) }
            return (delivery, refill(&$0))
        }
        for continuation in done { continuation.resume() }
        return delivery
    }

    /// Puts in those that wait, as far as there is room; returns who needn't wait any longer.
    private func refill(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        var done: [CheckedContinuation<Void, Never>] = []
        while state.deliveries.count < capacity, var waiter = state.waiters.popFirst() {
            let fitting = waiter.deliveries.prefix(capacity - state.deliveries.count)
            state.deliveries.append(contentsOf: fitting)
            waiter.deliveries = waiter.deliveries.dropFirst(fitting.count)
            if waiter.deliveries.isEmpty {
                done.append(waiter.continuation)
            } else {
                state.waiters.prepend(waiter)
            }
        }
        return done
    }

    /// Takes nothing more in and gives nothing more out; tells how many messages were left unhandled.
    @discardableResult
    func close() -> Int {
        let (left, waiters) = state.withLock {
            let left = Array($0.deliveries) + $0.waiters.flatMap(\.deliveries)
            let waiters = $0.waiters
            // What a pass has in hand it goes on with.
            $0 = State(pass: $0.pass, inHand: $0.inHand, isClosed: true)
            return (left, waiters)
        }
        for delivery in left { refuse(delivery) }
        for waiter in waiters { waiter.continuation.resume() }
        return left.count
    }

    private func refuse(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
