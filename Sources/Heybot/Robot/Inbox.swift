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
        await queue.put(Delivery(message, turn: nil))
    }

    /// Puts the message in, and returns when all it set in motion has ended, or waits for somebody's answer, or when the
    /// task is cancelled.
    public func handle(_ message: Message) async {
        let turn = Activity()
        await queue.put(Delivery(message, turn: turn))
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
    private let ended = Atomic(false)

    init(_ message: Message, turn: Activity?) {
        present = Mutex(message)
        self.turn = turn
        turn?.begin()
    }

    var message: Message { present.withLock { $0 } }

    /// Goes on with the message as middleware made it.
    func replaceMessage(_ message: Message) { present.withLock { $0 = message } }

    var isFinished: Bool { finished.load(ordering: .acquiring) }

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
        var takers = Deque<CheckedContinuation<Delivery?, Never>>()
        var waiting = Deque<(delivery: Delivery, continuation: CheckedContinuation<Void, Never>)>()
        var isClosed = false
    }

    private let capacity: Int
    private let activity: Activity
    private let state = Mutex(State())

    /// `activity` counts each delivery from the moment it is put in; whoever takes it out ends it.
    init(capacity: Int, activity: Activity) {
        self.capacity = max(capacity, 1)
        self.activity = activity
    }

    func put(_ delivery: Delivery) async {
        activity.begin()
        // Most find room, without the cost of a continuation.
        if offer(delivery, nil) { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            if offer(delivery, continuation) { continuation.resume() }
        }
    }

    /// Puts it in where there is room, or lets `waiter` wait; false where it isn't in.
    private func offer(_ delivery: Delivery, _ waiter: CheckedContinuation<Void, Never>?) -> Bool {
        enum Place { case refused, taken(by: CheckedContinuation<Delivery?, Never>), queued, none }
        let place: Place = state.withLock {
            if $0.isClosed { return .refused }
            if let taker = $0.takers.popFirst() { return .taken(by: taker) }
            if $0.deliveries.count < capacity {
                $0.deliveries.append(delivery)
                return .queued
            }
            if let waiter { $0.waiting.append((delivery, waiter)) }
            return .none
        }
        switch place {
        case .refused: refuse(delivery)
        case .taken(let taker): taker.resume(returning: delivery)
        case .queued: break
        case .none: return false
        }
        return true
    }

    /// Puts back what was taken last, to be taken next.
    func putBack(_ delivery: Delivery) {
        let (taker, isRefused): (CheckedContinuation<Delivery?, Never>?, Bool) = state.withLock {
            if $0.isClosed { return (nil, true) }
            if let taker = $0.takers.popFirst() { return (taker, false) }
            $0.deliveries.prepend(delivery)
            return (nil, false)
        }
        taker?.resume(returning: delivery)
        if isRefused { refuse(delivery) }
    }

    /// The next delivery, in the order they were put in; nil once the queue is closed.
    func take() async -> Delivery? {
        if let delivery = poll(nil) { return delivery }
        return await withCheckedContinuation { continuation in
            let delivery = poll(continuation)
            if let delivery { continuation.resume(returning: delivery) }
        }
    }

    /// The next delivery; where there is none, lets `taker` wait, and tells it where the queue is closed.
    private func poll(_ taker: CheckedContinuation<Delivery?, Never>?) -> Delivery? {
        let (delivery, next, isClosed): (Delivery?, [CheckedContinuation<Void, Never>], Bool) = state.withLock {
            guard !$0.isClosed else { return (nil, [], true) }
            guard let delivery = $0.deliveries.popFirst() else {
                if let taker { $0.takers.append(taker) }
                return (nil, [], false)
            }
            // Only once there is room for many: to wake whoever waits for each would cost more than the messages.
            guard $0.deliveries.count <= capacity / 2 else { return (delivery, [], false) }
            var next: [CheckedContinuation<Void, Never>] = []
            while $0.deliveries.count < capacity, let first = $0.waiting.popFirst() {
                $0.deliveries.append(first.delivery)
                next.append(first.continuation)
            }
            return (delivery, next, false)
        }
        for continuation in next { continuation.resume() }
        if isClosed { taker?.resume(returning: nil) }
        return delivery
    }

    /// Takes nothing more in and gives nothing more out; tells how many messages were left unhandled.
    @discardableResult
    func close() -> Int {
        let (left, takers, waiting) = state.withLock {
            let left = Array($0.deliveries) + $0.waiting.map(\.delivery)
            let (takers, waiting) = ($0.takers, $0.waiting)
            $0 = State(isClosed: true)
            return (left, takers, waiting)
        }
        for delivery in left { refuse(delivery) }
        for taker in takers { taker.resume(returning: nil) }
        for (_, continuation) in waiting { continuation.resume() }
        return left.count
    }

    private func refuse(_ delivery: Delivery) {
        if delivery.end() { activity.end() }
    }
}
