import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite struct InboxTests {
    private func deliveries(_ range: Range<Int>) -> [Delivery] {
        let adapter = HandAdapter()
        return range.map { Delivery(adapter.message("\($0)"), turn: nil) }
    }

    /// Takes out of a queue what is in it, as the robot does.
    private final class Taker: Sendable {
        let queue: DeliveryQueue
        private let pass = Atomic(0)

        init(_ queue: DeliveryQueue) {
            self.queue = queue
            queue.serve { [weak self] in self?.pass.store($0, ordering: .relaxed) }
        }

        func next() -> Delivery? { queue.next(pass.load(ordering: .relaxed)) }
    }

    private func texts(_ taker: Taker, _ count: Int) async -> [String] {
        var texts: [String] = []
        while texts.count < count {
            if let delivery = taker.next() { texts.append(delivery.message.text ?? "-") } else { await Task.yield() }
        }
        return texts
    }

    @Test(arguments: [1, 2, 3, 10, 1_000]) func `many at once come out in order, however little room there is`(
        capacity: Int
    ) async {
        let queue = DeliveryQueue(capacity: capacity, activity: Activity())
        let taker = Taker(queue)
        async let putting: Void = queue.put(deliveries(0..<100))
        #expect(await texts(taker, 100) == (0..<100).map(String.init))
        await putting
    }

    @Test func `nobody passes those who wait`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let taker = Taker(queue)
        let first = Task { [deliveries = deliveries(0..<8)] in await queue.put(deliveries) }
        await queue.isFull()
        // There is room for one, but half of it isn't free yet.
        #expect(await texts(taker, 1) == ["0"])
        let second = Task { [deliveries = deliveries(8..<12)] in await queue.put(deliveries) }
        for _ in 0..<50 { await Task.yield() }
        #expect(await texts(taker, 11) == (1..<12).map(String.init))
        await first.value
        await second.value
    }

    @Test func `what finds no room at once stays out, and passes nobody`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let taker = Taker(queue)
        let inbox = Inbox(queue: queue, offers: { _, _ in [] })
        let messages = deliveries(0..<3).map(\.message)
        #expect(inbox.offer(messages))
        #expect(!inbox.offer(messages))
        #expect(inbox.offer([messages[0]]))
        #expect(await texts(taker, 4) == ["0", "1", "2", "0"])
        let waiting = Task { [deliveries = deliveries(0..<9)] in await queue.put(deliveries) }
        await queue.isFull()
        #expect(await texts(taker, 1) == ["0"])
        #expect(!inbox.offer([messages[0]]))
        #expect(await texts(taker, 8) == (1..<9).map(String.init))
        await waiting.value
        queue.close()
        // A robot that is stopping takes nothing more.
        #expect(inbox.offer(messages))
        #expect(taker.next() == nil)
    }

    @Test func `one pass takes messages out at a time, and another when it leaves some`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let passes = Notes()
        await queue.put(deliveries(0..<2))
        queue.serve { passes.add("\($0)") }
        #expect(passes.all == ["1"])
        await queue.put(deliveries(2..<3))
        #expect(passes.all == ["1"])
        let first = queue.next(1)
        #expect(first?.message.text == "0")
        queue.handOn(from: 1, having: first)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "1")
        #expect(queue.next(2)?.message.text == "2")
        #expect(queue.next(2) == nil)
        await queue.put(deliveries(3..<4))
        #expect(passes.all == ["1", "2", "3"])
    }

    @Test func `what a stalled pass has taken and not looked at keeps its place`() async {
        let activity = Activity()
        let queue = DeliveryQueue(capacity: 9, activity: activity)
        let passes = Notes()
        queue.serve { passes.add("\($0)") }
        await queue.put(deliveries(0..<4))
        let first = queue.next(1)
        // It has taken the next, and stalls before it looks at it.
        #expect(queue.next(1)?.message.text == "1")
        queue.handOn(from: 1, having: first)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "1")
        // The first comes back: nothing is its own any more.
        #expect(queue.next(1) == nil)
        queue.handOn(from: 1, having: nil)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "2")
        // Closed in a stall, what is in hand is refused and nothing is lost from the count.
        #expect(queue.close() == 1)
        queue.handOn(from: 2, having: nil)
        for _ in 0..<3 { activity.end() }
        await activity.idle()
    }

    @Test func `it tells when somebody else's message comes in, or waits for room`() async {
        let queue = DeliveryQueue(capacity: 2, activity: Activity())
        let adapter = HandAdapter()
        let told = Notes()
        func tell(_ note: String) -> @Sendable () -> Void { { told.add(note) } }
        let alice = adapter.message("a").user.id
        await queue.put([Delivery(adapter.message("a"), turn: nil)])
        queue.whenOther(than: alice, tell("first"))
        await queue.put([Delivery(adapter.message("b"), turn: nil)])
        #expect(told.all == [])
        let putting = Task { [delivery = Delivery(adapter.message("c", "bob"), turn: nil)] in
            await queue.put([delivery])
        }
        await queue.isFull()
        #expect(told.all == ["first"])
        #expect(queue.hasOther(than: alice))
        queue.whenOther(than: alice, tell("second"))
        #expect(told.all == ["first", "second"])
        queue.close()
        await putting.value
    }

    @Test func `whoever waits for room is let go when it closes`() async {
        let activity = Activity()
        let queue = DeliveryQueue(capacity: 2, activity: activity)
        let putting = Task { [deliveries = deliveries(0..<9)] in await queue.put(deliveries) }
        await queue.isFull()
        #expect(queue.close() == 9)
        await putting.value
        await activity.idle()
    }
}

extension DeliveryQueue {
    /// Waits until somebody waits for room in it.
    fileprivate func isFull() async { while !hasWaiting { await Task.yield() } }
}
