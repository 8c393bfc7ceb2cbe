import Heybot
import Testing

@testable import RedisLink

@Suite struct OutboxTests {
    private let ada = User.ID(adapter: "irc", value: "ada")
    private let eve = User.ID(adapter: "irc", value: "eve")

    @Test func `a partition's messages are added in order, one batch after another`() throws {
        var outbox = Outbox<Int>(partitions: 2, limit: 3)
        let begins = [
            outbox.add([1], 1, of: "irc", from: ada, to: 0), outbox.add([2], 2, of: "irc", from: ada, to: 0),
            outbox.add([3], 3, of: "irc", from: ada, to: 1)
        ]
        #expect(begins.map(Self.text) == ["begins", "waits", "begins"])
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
        let beginsAgain = outbox.add([4], 4, of: "irc", from: ada, to: 0)
        #expect(Self.text(beginsAgain) == "begins")
        let third = outbox.next(in: 0)
        #expect(third?.first == 3)
    }

    @Test func `a batch has the messages of one adapter, and a limited size`() {
        var outbox = Outbox<Int>(partitions: 1, limit: 3)
        for number in 1...70 { _ = outbox.add([0], number, of: "irc", from: ada, to: 0) }
        _ = outbox.add([0], 71, of: "xmpp", from: ada, to: 0)
        _ = outbox.add(Array(repeating: 0, count: 300 << 10), 72, of: "xmpp", from: ada, to: 0)
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
        for number in 1...3 { _ = outbox.add([0], number, of: "irc", from: ada, to: 0) }
        #expect(outbox.delayed == 3)
        let batch = outbox.next(in: 0)
        // Redis has no room.
        outbox.added(0, of: try #require(batch))
        #expect(outbox.delayed == 0)
        let (more, other) = (
            outbox.add([0], 4, of: "irc", from: ada, to: 0), outbox.add([0], 5, of: "irc", from: ada, to: 1)
        )
        #expect(Self.text(more) == "dropped 4")
        #expect(Self.text(other) == "begins")
        #expect(outbox.count == 4)
    }

    @Test
    func `if a full partition has too many, those of the user with most are dropped, but none that may be in Redis`()
        throws
    {
        var outbox = Outbox<Int>(partitions: 1, limit: 4)
        for number in 1...2 { _ = outbox.add([0], number, of: "irc", from: eve, to: 0) }
        let empty = outbox.next(in: 0)
        outbox.added(0, of: try #require(empty))
        for number in 3...4 { _ = outbox.add([0], number, of: "irc", from: eve, to: 0) }
        // From now on, the first four may be in Redis.
        let batch = outbox.next(in: 0)
        #expect(batch?.messages.map(\.item) == [1, 2, 3, 4])
        let early = outbox.add([0], 5, of: "irc", from: ada, to: 0)
        #expect(Self.text(early) == "dropped 5")
        // Redis had no room for them.
        outbox.added(0, of: try #require(batch))
        let additions = [6, 7, 8].map { outbox.add([0], $0, of: "irc", from: ada, to: 0) }
        #expect(additions.map(Self.text) == ["dropped 4", "dropped 3", "dropped 8"])
        let own = outbox.add([0], 9, of: "irc", from: eve, to: 0)
        #expect(Self.text(own) == "dropped 9")
        let rest = outbox.next(in: 0)
        #expect(rest?.messages.map(\.item) == [1, 2, 6, 7])
        #expect(outbox.count == 4)
        // The reply was lost, so the batch is tried again with the same numbers.
        let bob = User.ID(adapter: "irc", value: "bob")
        let late = outbox.add([0], 10, of: "irc", from: bob, to: 0)
        #expect(Self.text(late) == "dropped 10")
        let again = outbox.next(in: 0)
        #expect(again?.first == rest?.first && again?.messages.map(\.item) == [1, 2, 6, 7])
        // Two are in Redis, so eve has none left.
        outbox.added(2, of: try #require(again))
        let more = [11, 12, 13].map { outbox.add([0], $0, of: "irc", from: $0 == 13 ? bob : ada, to: 0) }
        #expect(more.map(Self.text) == ["waits", "waits", "dropped 12"])
        let back = outbox.add([0], 14, of: "irc", from: eve, to: 0)
        #expect(Self.text(back) == "dropped 11")
        let end = outbox.next(in: 0)
        #expect(end?.first == 3 && end?.messages.map(\.item) == [6, 7, 13, 14])
    }

    @Test func `who has most, but only what may be in Redis, protects nobody else's excess`() throws {
        var outbox = Outbox<Int>(partitions: 1, limit: 80)
        for number in 1...64 { _ = outbox.add([0], number, of: "irc", from: eve, to: 0) }
        let batch = outbox.next(in: 0)
        outbox.added(0, of: try #require(batch))
        let bob = User.ID(adapter: "irc", value: "bob")
        for number in 65...80 { _ = outbox.add([0], number, of: "irc", from: bob, to: 0) }
        _ = outbox.next(in: 0)
        let newcomer = outbox.add([0], 81, of: "irc", from: ada, to: 0)
        #expect(Self.text(newcomer) == "dropped 80")
    }

    private static func text(_ addition: Outbox<Int>.Addition) -> String {
        switch addition {
        case .begins: "begins"
        case .waits: "waits"
        case .dropped(let number): "dropped \(number)"
        }
    }
}
