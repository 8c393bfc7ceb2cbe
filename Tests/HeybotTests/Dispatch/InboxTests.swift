import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct InboxTests {
    private let clock = ManualClock()
    private let timers: Timers

    init() {
        timers = Timers(Timeline(clock, date: { .now }))
    }

    private func deliveries(_ range: Range<Int>) -> [Delivery] {
        let adapter = HandAdapter()
        return range.map { Delivery(adapter.message("\($0)"), activity: nil) }
    }

    private func queue(
        capacity: Int, activity: Activity = Activity(),
        onLoss: @escaping @Sendable (DeliveryQueue.Loss) -> Void = { _ in }
    ) -> DeliveryQueue {
        DeliveryQueue(capacity: capacity, activity: activity, timers: timers, onLoss: onLoss)
    }

    /// Lets a second pass as soon as somebody waits for it.
    private func passSecond() async {
        while timers.nextDue == nil { await Task.yield() }
        clock.advance(by: .seconds(1))
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
        let queue = queue(capacity: capacity)
        let taker = Taker(queue)
        async let putting: Void = queue.put(deliveries(0..<100))
        #expect(await texts(taker, 100) == (0..<100).map(String.init))
        await putting
    }

    @Test func `nobody passes those who wait`() async {
        let queue = queue(capacity: 4)
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

    private func said(_ range: Range<Int>, by user: String, in room: String = "#dev") -> [Delivery] {
        range.map {
            Delivery(
                Message(
                    id: .init(adapter: "irc", value: "\($0)"),
                    user: User(id: .init(adapter: "irc", value: user), name: user),
                    room: Room(id: .init(adapter: "irc", value: room)), content: .text("\($0)")), activity: nil)
        }
    }

    @Test func `a caller with patience waits for room, and drops nothing while there comes some`() async {
        let queue = queue(capacity: 4) { Issue.record("\($0.deliveries.count) lost") }
        let taker = Taker(queue)
        async let putting: Void = queue.put(deliveries(0..<100), patience: .seconds(1))
        #expect(await texts(taker, 100) == (0..<100).map(String.init))
        await putting
        #expect(queue.count == 0)
    }

    @Test func `when patience ends, the newest of whoever has most are dropped, and nobody is waited for again`() async
    {
        let losses = Mutex<[String]>([])
        let activity = Activity()
        let queue = queue(capacity: 4, activity: activity) { loss in
            losses.withLock { $0.append("\(loss.deliveries.count) \(loss.isNew)") }
        }
        let taker = Taker(queue)
        let waiting = Task { [said = said(0..<100, by: "mallory")] in await queue.put(said, patience: .seconds(1)) }
        await passSecond()
        await waiting.value
        await queue.put(said(100..<101, by: "bob", in: "#ops"), patience: .seconds(1))
        await queue.put(said(101..<102, by: "carol"), patience: .seconds(1))
        await queue.put(said(102..<200, by: "mallory", in: "#ops"), patience: .seconds(1))
        #expect(losses.withLock { $0 } == ["96 true", "1 false", "1 false", "98 false"])
        #expect(await texts(taker, 4) == ["0", "1", "100", "101"])
        // Half of it was free: the next overflow is waited for again, and is told again.
        let again = Task { [said = said(0..<5, by: "mallory")] in await queue.put(said, patience: .seconds(1)) }
        await passSecond()
        await again.value
        #expect(losses.withLock { $0 }.last == "1 true")
        // What was dropped is dealt with.
        for _ in 0..<4 { activity.end() }
        for _ in 0..<4 where taker.next() != nil { activity.end() }
        await activity.idle()
    }

    @Test func `while messages are dropped, a caller without patience gets the places that become free`() async {
        let queue = queue(capacity: 8)
        let taker = Taker(queue)
        let flood = Task { [said = said(0..<100, by: "mallory")] in await queue.put(said, patience: .seconds(1)) }
        await passSecond()
        await flood.value
        let shell = Task { [said = said(900..<901, by: "ada")] in await queue.put(said) }
        while !queue.hasWaiting { await Task.yield() }
        var taken: [String] = []
        for number in 0..<12 {
            taken += await texts(taker, 1)
            await queue.put(said(200 + number..<201 + number, by: "mallory"), patience: .seconds(1))
        }
        #expect(taken.contains("900"))
        await shell.value
    }

    @Test func `a caller whose patience ends passes nobody`() async {
        let queue = queue(capacity: 4)
        let taker = Taker(queue)
        await queue.put(said(0..<4, by: "bob"))
        let shell = Task { [said = said(10..<11, by: "ada")] in await queue.put(said) }
        while !queue.hasWaiting { await Task.yield() }
        let flood = Task { [said = said(20..<22, by: "mallory")] in await queue.put(said, patience: .seconds(1)) }
        while timers.nextDue == nil { await Task.yield() }
        #expect(await texts(taker, 1) == ["0"])
        await passSecond()
        await flood.value
        await shell.value
        #expect(await texts(taker, 4).contains("10"))
    }

    @Test func `among many who said one thing each, the last comes too late`() async {
        let lost = Notes()
        let queue = queue(capacity: 2) { loss in for one in loss.deliveries { lost.add(one.message.user.name) } }
        await queue.put(said(0..<1, by: "ada"))
        await queue.put(said(0..<1, by: "bob"))
        await queue.put(said(0..<1, by: "carol"), patience: .zero)
        #expect(lost.all == ["carol"])
    }

    @Test func `one pass takes messages out at a time, and another when it leaves some`() async {
        let queue = queue(capacity: 4)
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
        let queue = queue(capacity: 9, activity: activity)
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
        let queue = queue(capacity: 2)
        let adapter = HandAdapter()
        let told = Notes()
        func tell(_ note: String) -> @Sendable () -> Void { { told.add(note) } }
        let alice = adapter.message("a").user.id
        await queue.put([Delivery(adapter.message("a"), activity: nil)])
        queue.whenOther(than: alice, tell("first"))
        await queue.put([Delivery(adapter.message("b"), activity: nil)])
        #expect(told.all == [])
        let putting = Task { [delivery = Delivery(adapter.message("c", "bob"), activity: nil)] in
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
        let queue = queue(capacity: 2, activity: activity)
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
