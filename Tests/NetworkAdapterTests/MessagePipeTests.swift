import NetworkAdapter
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(1))) struct MessagePipeTests {
    private let queue = DeliveryQueue(capacity: 4, activity: Activity())

    private func messages(_ range: Range<Int>) -> [Message] {
        range.map {
            Message(
                id: .init(adapter: "irc", value: "\($0)"),
                user: User(id: .init(adapter: "irc", value: "ada"), name: "ada"),
                room: Room(id: .init(adapter: "irc", value: "#dev")), content: .text("\($0)"))
        }
    }

    private var inbox: Inbox { Inbox(queue: queue, offers: { _, _ in [] }) }

    @Test func `messages pass nobody, whether they find room in the inbox or not`() async {
        let pipe = MessagePipe(limit: 6)
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
            if !pipe.put(batch) { await pipe.drained() }
            if next % 5 == 0 { await Task.yield() }
        }
        #expect(await taking.value == (0..<count).map(String.init))
        pipe.close()
        await feeding.value
    }

    @Test func `what is put in before it is fed waits; after it was closed, it goes nowhere`() async {
        let pipe = MessagePipe(limit: 2)
        #expect(pipe.put(messages(0..<1)))
        #expect(!pipe.put(messages(1..<2)))
        #expect(queue.count == 0)
        let feeding = Task { [inbox] in await pipe.feed(inbox) }
        await pipe.drained()
        while queue.count < 2 { await Task.yield() }
        pipe.close()
        await feeding.value
        #expect(pipe.put(messages(2..<3)))
        #expect(queue.count == 2)
    }
}
