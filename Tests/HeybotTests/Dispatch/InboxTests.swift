import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct InboxTests {
    private let clock = ManualClock()
    private let timers: TimerQueue

    init() {
        timers = TimerQueue(TimeSource(clock, date: { .now }))
    }

    private func inboundMessages(_ range: Range<Int>) -> [InFlightMessage] {
        let adapter = ManualAdapter()
        return range.map { InFlightMessage(adapter.message("\($0)"), inFlight: nil) }
    }

    private func queue(
        capacity: Int, inFlight: InFlightCounter = InFlightCounter(),
        onOverflow: @escaping @Sendable (InboundQueue.DroppedMessages) -> Void = { _ in }
    ) -> InboundQueue {
        InboundQueue(capacity: capacity, inFlight: inFlight, timers: timers, onOverflow: onOverflow)
    }

    /// Advances the clock by a second, as soon as a timer is set.
    private func passSecond() async {
        while timers.nextDue == nil { await Task.yield() }
        clock.advance(by: .seconds(1))
    }

    /// Takes messages out of a queue, as the robot does.
    private final class Consumer: Sendable {
        let queue: InboundQueue
        private let pass = Atomic(0)

        init(_ queue: InboundQueue) {
            self.queue = queue
            queue.setConsumer { [weak self] in self?.pass.store($0, ordering: .relaxed) }
        }

        func next() -> InFlightMessage? { queue.next(pass.load(ordering: .relaxed)) }
    }

    private func texts(_ consumer: Consumer, _ count: Int) async -> [String] {
        var texts: [String] = []
        while texts.count < count {
            if let inbound = consumer.next() { texts.append(inbound.message.text ?? "-") } else { await Task.yield() }
        }
        return texts
    }

    @Test(arguments: [1, 2, 3, 10, 1_000]) func `many messages come out in order, whatever the capacity`(
        capacity: Int
    ) async {
        let queue = queue(capacity: capacity)
        let consumer = Consumer(queue)
        async let putting: Void = queue.put(inboundMessages(0..<100))
        #expect(await texts(consumer, 100) == (0..<100).map(String.init))
        await putting
    }

    @Test func `new messages don't overtake waiting ones`() async {
        let queue = queue(capacity: 4)
        let consumer = Consumer(queue)
        let first = Task { [messages = inboundMessages(0..<8)] in await queue.put(messages) }
        await queue.isFull()
        // There is space for one, but less than half of the queue is empty.
        #expect(await texts(consumer, 1) == ["0"])
        let second = Task { [messages = inboundMessages(8..<12)] in await queue.put(messages) }
        for _ in 0..<50 { await Task.yield() }
        #expect(await texts(consumer, 11) == (1..<12).map(String.init))
        await first.value
        await second.value
    }

    private func said(_ range: Range<Int>, by user: String, in room: String = "#dev") -> [InFlightMessage] {
        range.map {
            InFlightMessage(
                Message(
                    id: .init(adapter: "irc", value: "\($0)"),
                    user: User(id: .init(adapter: "irc", value: user), name: user),
                    room: Room(id: .init(adapter: "irc", value: room)), content: .text("\($0)")), inFlight: nil)
        }
    }

    @Test func `a caller with a timeout waits for space, and nothing is dropped if there is some in time`() async {
        let queue = queue(capacity: 4) { Issue.record("\($0.messages.count) lost") }
        let consumer = Consumer(queue)
        async let putting: Void = queue.put(inboundMessages(0..<100), timeout: .seconds(1))
        #expect(await texts(consumer, 100) == (0..<100).map(String.init))
        await putting
        #expect(queue.count == 0)
    }

    @Test func `after the timeout, the newest of the busiest sender are dropped, and calls don't wait again`() async {
        let losses = Mutex<[String]>([])
        let inFlight = InFlightCounter()
        let queue = queue(capacity: 4, inFlight: inFlight) { loss in
            losses.withLock { $0.append("\(loss.messages.count) \(loss.isNew)") }
        }
        let consumer = Consumer(queue)
        let waiting = Task { [said = said(0..<100, by: "mallory")] in await queue.put(said, timeout: .seconds(1)) }
        await passSecond()
        await waiting.value
        await queue.put(said(100..<101, by: "bob", in: "#ops"), timeout: .seconds(1))
        await queue.put(said(101..<102, by: "carol"), timeout: .seconds(1))
        await queue.put(said(102..<200, by: "mallory", in: "#ops"), timeout: .seconds(1))
        #expect(losses.withLock { $0 } == ["96 true", "1 false", "1 false", "98 false"])
        #expect(await texts(consumer, 4) == ["0", "1", "100", "101"])
        // Half of the queue was empty: the next call waits again, and the next overflow is new.
        let again = Task { [said = said(0..<5, by: "mallory")] in await queue.put(said, timeout: .seconds(1)) }
        await passSecond()
        await again.value
        #expect(losses.withLock { $0 }.last == "1 true")
        // Dropped messages count as done.
        for _ in 0..<4 { inFlight.end() }
        for _ in 0..<4 where consumer.next() != nil { inFlight.end() }
        await inFlight.waitUntilIdle()
    }

    @Test func `while messages are dropped, a caller without a timeout gets the space that becomes free`() async {
        let queue = queue(capacity: 8)
        let consumer = Consumer(queue)
        let flood = Task { [said = said(0..<100, by: "mallory")] in await queue.put(said, timeout: .seconds(1)) }
        await passSecond()
        await flood.value
        let shell = Task { [said = said(900..<901, by: "ada")] in await queue.put(said) }
        while !queue.hasWaiters { await Task.yield() }
        var taken: [String] = []
        for number in 0..<12 {
            taken += await texts(consumer, 1)
            await queue.put(said(200 + number..<201 + number, by: "mallory"), timeout: .seconds(1))
        }
        #expect(taken.contains("900"))
        await shell.value
    }

    @Test func `a caller whose timeout ends overtakes no other`() async {
        let queue = queue(capacity: 4)
        let consumer = Consumer(queue)
        await queue.put(said(0..<4, by: "bob"))
        let shell = Task { [said = said(10..<11, by: "ada")] in await queue.put(said) }
        while !queue.hasWaiters { await Task.yield() }
        let flood = Task { [said = said(20..<22, by: "mallory")] in await queue.put(said, timeout: .seconds(1)) }
        while timers.nextDue == nil { await Task.yield() }
        #expect(await texts(consumer, 1) == ["0"])
        await passSecond()
        await flood.value
        await shell.value
        #expect(await texts(consumer, 4).contains("10"))
    }

    @Test func `if all senders have one message, the last message is dropped`() async {
        let lost = StringRecorder()
        let queue = queue(capacity: 2) { loss in for one in loss.messages { lost.add(one.message.user.name) } }
        await queue.put(said(0..<1, by: "ada"))
        await queue.put(said(0..<1, by: "bob"))
        await queue.put(said(0..<1, by: "carol"), timeout: .zero)
        #expect(lost.all == ["carol"])
    }

    @Test func `one pass takes messages out at a time, and another follows if it leaves some`() async {
        let queue = queue(capacity: 4)
        let passes = StringRecorder()
        await queue.put(inboundMessages(0..<2))
        queue.setConsumer { passes.add("\($0)") }
        #expect(passes.all == ["1"])
        await queue.put(inboundMessages(2..<3))
        #expect(passes.all == ["1"])
        let first = queue.next(1)
        #expect(first?.message.text == "0")
        queue.handOver(from: 1, processing: first)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "1")
        #expect(queue.next(2)?.message.text == "2")
        #expect(queue.next(2) == nil)
        await queue.put(inboundMessages(3..<4))
        #expect(passes.all == ["1", "2", "3"])
    }

    @Test func `a message that a stalled pass has taken but not processed goes back to the front`() async {
        let inFlight = InFlightCounter()
        let queue = queue(capacity: 9, inFlight: inFlight)
        let passes = StringRecorder()
        queue.setConsumer { passes.add("\($0)") }
        await queue.put(inboundMessages(0..<4))
        let first = queue.next(1)
        // It has taken the next one, and stalls before it processes it.
        #expect(queue.next(1)?.message.text == "1")
        queue.handOver(from: 1, processing: first)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "1")
        // The first pass continues: it has lost the queue.
        #expect(queue.next(1) == nil)
        queue.handOver(from: 1, processing: nil)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "2")
        // If the queue is closed during a stall, the message in process is ended, so that the count is right.
        #expect(queue.close() == 1)
        #expect(!queue.beginReceiving())
        queue.handOver(from: 2, processing: nil)
        for _ in 0..<3 { inFlight.end() }
        await inFlight.waitUntilIdle()
    }

    @Test func `a pass keeps the queue while its closures run, and loses it if they wait`() async {
        let queue = queue(capacity: 9)
        let passes = StringRecorder()
        queue.setConsumer { passes.add("\($0)") }
        await queue.put(inboundMessages(0..<4))
        _ = queue.next(1)
        queue.beginClosures(1)
        #expect(queue.endClosures(1))
        // Nothing runs: there is nothing to leave.
        queue.leaveClosures(of: 1)
        #expect(queue.next(1)?.message.text == "1")
        queue.beginClosures(1)
        queue.leaveClosures(of: 1)
        #expect(passes.all == ["1", "2"])
        #expect(queue.next(2)?.message.text == "2")
        // The old pass takes nothing from the new one.
        queue.beginClosures(1)
        queue.leaveClosures(of: 1)
        #expect(!queue.endClosures(1) && queue.next(1) == nil)
        #expect(queue.next(2)?.message.text == "3")
    }

    @Test func `a pass loses the queue if its closures still run at the second check`() async {
        let queue = queue(capacity: 9)
        let (passes, delays) = (StringRecorder(), StringRecorder())
        queue.setConsumer({ passes.add("\($0)") }, onDelay: { delays.add("delay") })
        await queue.put(inboundMessages(0..<1))
        var last = 0
        func check() -> Bool { queue.checkClosures(&last) }
        _ = queue.next(1)
        queue.beginClosures(1)
        // Nobody waits.
        for _ in 0..<3 { #expect(!check()) }
        #expect(delays.all == [])
        await queue.put(inboundMessages(1..<4))
        #expect(delays.all == ["delay"])
        #expect(check())
        // Other closures run at the next check.
        #expect(queue.endClosures(1))
        #expect(!check())
        _ = queue.next(1)
        queue.beginClosures(1)
        #expect(delays.all == ["delay", "delay"])
        #expect(check())
        #expect(passes.all == ["1"])
        #expect(check())
        #expect(passes.all == ["1", "2"])
        #expect(!queue.endClosures(1))
        #expect(queue.next(2)?.message.text == "2")
    }

    @Test func `it calls back when another user's message comes in, or waits for space`() async {
        let queue = queue(capacity: 2)
        let adapter = ManualAdapter()
        let told = StringRecorder()
        func tell(_ note: String) -> @Sendable () -> Void { { told.add(note) } }
        let alice = adapter.message("a").user.id
        await queue.put([InFlightMessage(adapter.message("a"), inFlight: nil)])
        queue.whenMessage(fromOtherThan: alice, tell("first"))
        await queue.put([InFlightMessage(adapter.message("b"), inFlight: nil)])
        #expect(told.all == [])
        let putting = Task { [inbound = InFlightMessage(adapter.message("c", "bob"), inFlight: nil)] in
            await queue.put([inbound])
        }
        await queue.isFull()
        #expect(told.all == ["first"])
        #expect(queue.hasMessage(fromOtherThan: alice))
        queue.whenMessage(fromOtherThan: alice, tell("second"))
        #expect(told.all == ["first", "second"])
        queue.close()
        await putting.value
    }

    @Test func `while it drains, it takes only what was being received, and gives out all`() async {
        let inFlight = InFlightCounter()
        let queue = queue(capacity: 9, inFlight: inFlight)
        queue.setConsumer { _ in }
        await queue.put(inboundMessages(0..<1))
        #expect(queue.beginReceiving())
        queue.drain()
        #expect(!queue.beginReceiving())
        await queue.put(inboundMessages(1..<2))
        let (started, events) = (Signal(), StringRecorder())
        let waiting = Task {
            started.set()
            await queue.waitUntilReceived()
            events.add("received")
        }
        await started.wait()
        // If it didn't wait, it would be over by now.
        for _ in 0..<100 { await Task.yield() }
        await queue.put(inboundMessages(2..<3), whileDraining: true)
        events.add("put in")
        queue.endReceiving()
        await waiting.value
        #expect(events.all == ["put in", "received"])
        #expect((0..<3).map { _ in queue.next(1)?.message.text } == ["0", "2", nil])
        #expect(queue.close() == 0)
        await queue.put(inboundMessages(3..<4), whileDraining: true)
        for _ in 0..<2 { inFlight.end() }
        await inFlight.waitUntilIdle()
    }

    @Test func `closing resumes the callers that wait for space`() async {
        let inFlight = InFlightCounter()
        let queue = queue(capacity: 2, inFlight: inFlight)
        let putting = Task { [messages = inboundMessages(0..<9)] in await queue.put(messages) }
        await queue.isFull()
        #expect(queue.close() == 9)
        await putting.value
        await inFlight.waitUntilIdle()
    }
}

extension InboundQueue {
    /// Waits until a caller waits for space.
    fileprivate func isFull() async { while !hasWaiters { await Task.yield() } }
}
