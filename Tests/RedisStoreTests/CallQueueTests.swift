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
        while let bytes = queue.next {
            queue.sentNext(at: start)
            sent.append(String(decoding: bytes, as: UTF8.self))
        }
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
        queue.add(call("d", until: 8))
        queue.add(call("e!", until: 9))
        #expect(queue.lost() == ["b!"])
        #expect(sent(&queue) == ["a", "c", "d", "e!"])
        #expect(queue.lost() == ["e!"])
    }

    @Test func `what wasn't done is done before all others`() throws {
        var queue = queue("a!", "b", "c")
        queue.sentNext(at: start)
        let next = queue.answered()
        let undone = try #require(next)
        queue.putBack([undone])
        #expect(sent(&queue) == ["a!", "b", "c"])
    }

    @Test func `what waits goes when its time is over`() {
        var queue = queue("a", "b!", "c")
        #expect(queue.nextDeadline == start + .seconds(1))
        #expect(queue.expired(at: start).undone.isEmpty)
        let left = queue.expired(at: start + .seconds(2))
        #expect(left.undone == ["a", "b!"] && left.unknown.isEmpty)
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(sent(&queue) == ["c"])
    }

    @Test func `of what is sent, the caller goes and the place stays`() {
        var queue = queue("a", "b!", "c")
        _ = sent(&queue)
        let left = queue.expired(at: start + .seconds(2))
        #expect(left.undone == ["a"] && left.unknown == ["b!"])
        #expect(queue.expired(at: start + .seconds(2)).undone.isEmpty)
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(queue.oldestSent == start)
        #expect([queue.answered()?.caller, queue.answered()?.caller, queue.answered()?.caller] == [nil, nil, "c"])
        #expect(queue.isEmpty && queue.oldestSent == nil)
    }

    @Test func `nobody is told twice, and for nobody nothing is asked again`() {
        var queue = queue("a", "b!")
        _ = sent(&queue)
        _ = queue.expired(at: start + .seconds(9))
        #expect(queue.lost().isEmpty)
        #expect(queue.isEmpty)
    }

    @Test func `what is asked again keeps the order in which it was called`() throws {
        var queue = queue("a", "b", "c", "d")
        queue.sentNext(at: start)
        queue.sentNext(at: start)
        queue.sentNext(at: start)
        let undone = queue.answered()
        queue.putBack([try #require(undone)])
        #expect(queue.lost().isEmpty)
        #expect(sent(&queue) == ["a", "b", "c", "d"])
    }

    @Test func `after a loss the window is open again`() {
        var queue = queue("aaa", "bbb!", "ccc", window: 7)
        #expect(sent(&queue) == ["aaa", "bbb!"])
        #expect(queue.lost() == ["bbb!"])
        #expect(sent(&queue) == ["aaa", "ccc"])
    }
}
