import Testing

@testable import RedisStore

@Suite struct CallQueueTests {
    private let start = ContinuousClock.now

    private func queue(_ calls: String..., window: Int = 1_000) -> CallQueue<String> {
        var queue = CallQueue<String>(window: window)
        for (number, name) in calls.enumerated() { queue.add(call(name, until: number + 1)) }
        return queue
    }

    /// One with a `!` may not be repeated.
    private func call(_ name: String, until seconds: Int = 5) -> CallQueue<String>.Call {
        .init(
            bytes: Array(name.utf8), deadline: start + .seconds(seconds), mayRepeat: !name.hasSuffix("!"), caller: name)
    }

    private func sent(_ queue: inout CallQueue<String>) -> [String] {
        var sent: [String] = []
        while let bytes = queue.next() { sent.append(String(decoding: bytes, as: UTF8.self)) }
        return sent
    }

    @Test func `calls are sent as they came, and answered so`() {
        var queue = queue("a", "b", "c")
        #expect(sent(&queue) == ["a", "b", "c"])
        #expect(queue.isAnswerDue)
        #expect([queue.answered()?.caller, queue.answered()?.caller, queue.answered()?.caller] == ["a", "b", "c"])
        #expect(queue.answered() == nil)
        #expect(queue.isEmpty && !queue.isAnswerDue)
    }

    @Test func `only so much is on the way, but always one call`() {
        var queue = queue("long call", "b", "cc", "d", window: 3)
        #expect(sent(&queue) == ["long call"])
        _ = queue.answered()
        #expect(sent(&queue) == ["b", "cc"])
        _ = queue.answered()
        #expect(sent(&queue) == ["d"])
    }

    @Test func `of a lost connection, what may be repeated is sent first, the rest is given up`() {
        var queue = queue("a", "b!", "c")
        _ = sent(&queue)
        queue.add(call("d"))
        queue.add(call("e!"))
        #expect(queue.lost() == ["b!"])
        #expect(sent(&queue) == ["a", "c", "d", "e!"])
        #expect(queue.lost() == ["e!"])
    }

    @Test func `what wasn't done is done before all others`() throws {
        var queue = queue("a!", "b", "c")
        _ = queue.next()
        let next = queue.answered()
        let undone = try #require(next)
        queue.putBack([undone])
        #expect(sent(&queue) == ["a!", "b", "c"])
    }

    @Test func `what waits goes when its time is over`() {
        var queue = queue("a", "b", "c")
        #expect(queue.nextDeadline == start + .seconds(1))
        #expect(queue.expired(at: start).isEmpty)
        #expect(queue.expired(at: start + .seconds(2)) == ["a", "b"])
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(sent(&queue) == ["c"])
    }

    @Test func `what is sent keeps its place when its time is over, and tells that the connection is dead`() {
        var queue = queue("a", "b")
        _ = queue.next()
        #expect(queue.expired(at: start + .seconds(2)) == ["b"])
        #expect(queue.isOverdue(at: start + .seconds(1)))
        #expect(!queue.isOverdue(at: start))
        #expect(queue.nextDeadline == start + .seconds(1))
        #expect(queue.answered()?.caller == "a")
        #expect(queue.nextDeadline == nil)
    }

    @Test func `after a loss the window is open again`() {
        var queue = queue("aaa", "bbb!", "ccc", window: 7)
        #expect(sent(&queue) == ["aaa", "bbb!"])
        #expect(queue.lost() == ["bbb!"])
        #expect(sent(&queue) == ["aaa", "ccc"])
    }
}
