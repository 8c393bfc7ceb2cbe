import Testing

@testable import RedisLink

@Suite struct OutboxTests {
    @Test func `a partition's messages are added in order, one batch after another`() throws {
        var outbox = Outbox<Int>(partitions: 2, limit: 3)
        let begins = [
            outbox.add([1], 1, of: "irc", to: 0), outbox.add([2], 2, of: "irc", to: 0),
            outbox.add([3], 3, of: "irc", to: 1)
        ]
        #expect(begins == [.begins, .waits, .begins])
        let next = outbox.next(in: 0)
        let first = try #require(next)
        #expect(first.messages.map(\.item) == [1, 2])
        #expect(first.first == 1)
        // Only one had room.
        outbox.added(1, of: first)
        #expect(outbox.count == 2)
        let rest = outbox.next(in: 0)
        let second = try #require(rest)
        #expect(second.messages.map(\.item) == [2])
        #expect(second.first == 2)
        outbox.added(1, of: second)
        let end = outbox.next(in: 0)
        #expect(end == nil)
        let beginsAgain = outbox.add([4], 4, of: "irc", to: 0)
        #expect(beginsAgain == .begins)
        let third = outbox.next(in: 0)
        #expect(third?.first == 3)
    }

    @Test func `a batch has the messages of one adapter, and a limited size`() {
        var outbox = Outbox<Int>(partitions: 1, limit: 3)
        for number in 1...70 { _ = outbox.add([0], number, of: "irc", to: 0) }
        _ = outbox.add([0], 71, of: "xmpp", to: 0)
        _ = outbox.add(Array(repeating: 0, count: 300 << 10), 72, of: "xmpp", to: 0)
        var sizes: [Int] = []
        while let batch = outbox.next(in: 0) {
            sizes.append(batch.messages.count)
            outbox.added(batch.messages.count, of: batch)
        }
        #expect(sizes == [64, 6, 1, 1])
        #expect(outbox.count == 0)
    }

    @Test func `a full partition delays no other, and drops what is too much`() throws {
        var outbox = Outbox<Int>(partitions: 2, limit: 3)
        for number in 1...3 { _ = outbox.add([0], number, of: "irc", to: 0) }
        #expect(outbox.delayed == 3)
        let batch = outbox.next(in: 0)
        // Redis has no room.
        outbox.added(0, of: try #require(batch))
        #expect(outbox.delayed == 0)
        let (more, other) = (outbox.add([0], 4, of: "irc", to: 0), outbox.add([0], 5, of: "irc", to: 1))
        #expect(more == .dropped)
        #expect(other == .begins)
        #expect(outbox.count == 4)
    }
}
