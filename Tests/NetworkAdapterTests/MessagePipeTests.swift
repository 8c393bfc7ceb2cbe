import NetworkAdapter
import Synchronization
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(1))) struct MessagePipeTests {
    /// The robot's inbox, from which the test takes messages as the robot does.
    private final class Taker: Sendable {
        let inbox = DeliveryQueue(capacity: 4, activity: Activity())
        private let pass = Atomic(0)

        init() {
            inbox.serve { [weak self] in self?.pass.store($0, ordering: .relaxed) }
        }

        var count: Int { inbox.count }

        func next() -> Delivery? { inbox.next(pass.load(ordering: .relaxed)) }
    }

    private let queue = Taker()

    private func messages(_ range: Range<Int>, by user: String = "ada", in room: String = "#dev") -> [Message] {
        range.map {
            Message(
                id: .init(adapter: "irc", value: "\($0)"),
                user: User(id: .init(adapter: "irc", value: user), name: user),
                room: Room(id: .init(adapter: "irc", value: room)), content: .text("\($0)"))
        }
    }

    private var inbox: Inbox { Inbox(queue: queue.inbox, offers: { _, _ in [] }) }

    @Test func `messages pass nobody, whether they find room in the inbox or not`() async {
        let pipe = MessagePipe(limit: 3_000)
        let feeding = Task { [inbox] in await pipe.feed(inbox) }
        let count = 3_000
        let taking = Task { [queue] in
            var texts: [String] = []
            while texts.count < count {
                if let delivery = queue.next() {
                    texts.append(delivery.message.text ?? "-")
                } else {
                    await Task.yield()
                }
                // Now it keeps up, now it doesn't.
                if texts.count % 300 < 100 { for _ in 0..<10 { await Task.yield() } }
            }
            return texts
        }
        var next = 0
        while next < count {
            let batch = messages(next..<min(next + 1 + next % 7, count))
            next += batch.count
            pipe.put(batch)
            if next % 5 == 0 { await Task.yield() }
        }
        #expect(await taking.value == (0..<count).map(String.init))
        pipe.close()
        await feeding.value
    }

    @Test func `what is put in before it is fed waits; after it was closed, it goes nowhere`() async {
        let pipe = MessagePipe(limit: 2)
        pipe.put(messages(0..<2))
        #expect(queue.count == 0)
        let feeding = Task { [inbox] in await pipe.feed(inbox) }
        while queue.count < 2 { await Task.yield() }
        pipe.close()
        await feeding.value
        pipe.put(messages(2..<3))
        #expect(queue.count == 2)
    }

    @Test func `if it is full, whoever has most in it loses the newest, and rooms take turns`() async {
        let losses = Mutex<[String]>([])
        let pipe = MessagePipe(limit: 4) { count, isNew in losses.withLock { $0.append("\(count) \(isNew)") } }
        pipe.put(messages(0..<100, by: "mallory"))
        pipe.put(messages(100..<101, by: "bob", in: "#ops"))
        pipe.put(messages(101..<102, by: "carol"))
        pipe.put(messages(102..<200, by: "mallory", in: "#ops"))
        #expect(losses.withLock { $0 } == ["96 true", "1 false", "1 false", "98 false"])
        let feeding = Task { [inbox] in await pipe.feed(inbox) }
        while queue.count < 4 { await Task.yield() }
        #expect((0..<4).map { _ in queue.next()?.message.text } == ["0", "100", "1", "101"])
        pipe.close()
        await feeding.value
    }
}
