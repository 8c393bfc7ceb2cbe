import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite struct InboxTests {
    private func deliveries(_ range: Range<Int>) -> [Delivery] {
        let adapter = HandAdapter()
        return range.map { Delivery(adapter.message("\($0)"), turn: nil) }
    }

    private func texts(_ queue: DeliveryQueue, _ count: Int) async -> [String] {
        var texts: [String] = []
        while texts.count < count {
            if let delivery = queue.next() { texts.append(delivery.message.text ?? "-") } else { await Task.yield() }
        }
        return texts
    }

    @Test(arguments: [1, 2, 3, 10, 1_000]) func `many at once come out in order, however little room there is`(
        capacity: Int
    ) async {
        let queue = DeliveryQueue(capacity: capacity, activity: Activity())
        async let putting: Void = queue.put(deliveries(0..<100))
        #expect(await texts(queue, 100) == (0..<100).map(String.init))
        await putting
    }

    @Test func `nobody passes those who wait`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let first = Task { [deliveries = deliveries(0..<8)] in await queue.put(deliveries) }
        await queue.isFull()
        // There is room for one, but half of it isn't free yet.
        #expect(await texts(queue, 1) == ["0"])
        let second = Task { [deliveries = deliveries(8..<12)] in await queue.put(deliveries) }
        for _ in 0..<50 { await Task.yield() }
        #expect(await texts(queue, 11) == (1..<12).map(String.init))
        await first.value
        await second.value
    }

    @Test func `what finds no room at once stays out, and passes nobody`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let inbox = Inbox(queue: queue, offers: { _, _ in [] })
        let messages = deliveries(0..<3).map(\.message)
        #expect(inbox.offer(messages))
        #expect(!inbox.offer(messages))
        #expect(inbox.offer([messages[0]]))
        #expect(await texts(queue, 4) == ["0", "1", "2", "0"])
        let waiting = Task { [deliveries = deliveries(0..<9)] in await queue.put(deliveries) }
        await queue.isFull()
        #expect(await texts(queue, 1) == ["0"])
        #expect(!inbox.offer([messages[0]]))
        #expect(await texts(queue, 8) == (1..<9).map(String.init))
        await waiting.value
        queue.close()
        // A robot that is stopping takes nothing more.
        #expect(inbox.offer(messages))
        #expect(queue.next() == nil)
    }

    @Test func `one server is called at a time, and another when it leaves something`() async {
        let queue = DeliveryQueue(capacity: 4, activity: Activity())
        let calls = Atomic(0)
        await queue.put(deliveries(0..<2))
        queue.serve { calls.add(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 1)
        await queue.put(deliveries(2..<3))
        #expect(calls.load(ordering: .relaxed) == 1)
        #expect(queue.next()?.message.text == "0")
        queue.handOn()
        #expect(calls.load(ordering: .relaxed) == 2)
        #expect(await texts(queue, 2) == ["1", "2"])
        #expect(queue.next() == nil)
        await queue.put(deliveries(3..<4))
        #expect(calls.load(ordering: .relaxed) == 3)
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
