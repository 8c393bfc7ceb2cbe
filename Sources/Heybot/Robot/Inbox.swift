import DequeModule
import Synchronization

/// Where an adapter puts what happens.
///
/// It is bounded: while it is full, putting something in waits.
public struct Inbox: Sendable {
    let queue: DeliveryQueue

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
}

/// A message on its way through the robot, and what it has set in motion.
final class Delivery: Sendable {
    let message: Message
    private let turn: Activity?
    private let finished = Atomic(false)

    init(_ message: Message, turn: Activity?) {
        self.message = message
        self.turn = turn
        turn?.begin()
    }

    /// The same on its way, with the message as middleware made it.
    init(_ message: Message, instead delivery: Delivery) {
        self.message = message
        turn = delivery.turn
    }

    var isFinished: Bool { finished.load(ordering: .acquiring) }

    func finish() {
        finished.store(true, ordering: .releasing)
    }

    /// Everything it set in motion has ended, or waits for somebody.
    func end() {
        turn?.end()
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
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let (taker, goesOn): (CheckedContinuation<Delivery?, Never>?, Bool) = state.withLock {
                if $0.isClosed {
                    refuse(delivery)
                    return (nil, true)
                }
                if let taker = $0.takers.popFirst() { return (taker, true) }
                if $0.deliveries.count < capacity {
                    $0.deliveries.append(delivery)
                    return (nil, true)
                }
                $0.waiting.append((delivery, continuation))
                return (nil, false)
            }
            taker?.resume(returning: delivery)
            if goesOn { continuation.resume() }
        }
    }

    /// The next delivery, in the order they were put in; nil once the queue is closed.
    func take() async -> Delivery? {
        await withCheckedContinuation { continuation in
            let (delivery, next, isOver): (Delivery?, CheckedContinuation<Void, Never>?, Bool) = state.withLock {
                guard !$0.isClosed else { return (nil, nil, true) }
                guard let delivery = $0.deliveries.popFirst() else {
                    $0.takers.append(continuation)
                    return (nil, nil, false)
                }
                let next = $0.waiting.popFirst()
                if let next { $0.deliveries.append(next.delivery) }
                return (delivery, next?.continuation, true)
            }
            next?.resume()
            if isOver { continuation.resume(returning: delivery) }
        }
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
        delivery.end()
        activity.end()
    }
}
