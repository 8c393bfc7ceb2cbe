import Testing

@testable import RedisStore

@Suite struct CommandPipelineTests {
    private let start = ContinuousClock.now

    private func queue(_ calls: String..., window: Int = 1_000) -> CommandPipeline<String> {
        var queue = CommandPipeline<String>(window: window)
        for (number, name) in calls.enumerated() { queue.add(call(name, until: number + 1)) }
        return queue
    }

    /// A name with a `!` isn't retryable.
    private func call(_ name: String, until seconds: Int = 5) -> CommandPipeline<String>.Call {
        .init(
            bytes: Array(name.utf8), deadline: start + .seconds(seconds), isRetryable: !name.hasSuffix("!"),
            caller: name)
    }

    private func sent(_ queue: inout CommandPipeline<String>) -> [String] {
        var sent: [String] = []
        while let bytes = queue.nextBytes {
            queue.markNextSent(at: start)
            sent.append(String(decoding: bytes, as: UTF8.self))
        }
        return sent
    }

    @Test func `calls are sent and answered in order`() {
        var queue = queue("a", "b", "c")
        #expect(sent(&queue) == ["a", "b", "c"])
        #expect(queue.awaitsReply)
        #expect(
            [queue.takeAnswered()?.caller, queue.takeAnswered()?.caller, queue.takeAnswered()?.caller] == [
                "a", "b", "c"
            ])
        #expect(queue.takeAnswered() == nil)
        #expect(queue.isEmpty && !queue.awaitsReply)
    }

    @Test func `the window limits what is sent, except for a single call`() {
        var queue = queue("long call", "b", "cc", "d", window: 3)
        #expect(sent(&queue) == ["long call"])
        _ = queue.takeAnswered()
        #expect(sent(&queue) == ["b", "cc"])
        _ = queue.takeAnswered()
        #expect(sent(&queue) == ["d"])
    }

    @Test func `after a lost connection, retryable calls are sent first, and the others fail`() {
        var queue = queue("a", "b!", "c")
        _ = sent(&queue)
        queue.add(call("d", until: 8))
        queue.add(call("e!", until: 9))
        #expect(queue.connectionLost() == ["b!"])
        #expect(sent(&queue) == ["a", "c", "d", "e!"])
        #expect(queue.connectionLost() == ["e!"])
    }

    @Test func `calls that weren't executed are sent before all others`() throws {
        var queue = queue("a!", "b", "c")
        queue.markNextSent(at: start)
        let next = queue.takeAnswered()
        let notExecuted = try #require(next)
        queue.putBack([notExecuted])
        #expect(sent(&queue) == ["a!", "b", "c"])
    }

    @Test func `waiting calls are removed at their deadline`() {
        var queue = queue("a", "b!", "c")
        #expect(queue.nextDeadline == start + .seconds(1))
        #expect(queue.removeExpired(at: start).notExecuted.isEmpty)
        let left = queue.removeExpired(at: start + .seconds(2))
        #expect(left.notExecuted == ["a", "b!"] && left.unknown.isEmpty)
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(sent(&queue) == ["c"])
    }

    @Test func `a sent call keeps its place when its caller gives up`() {
        var queue = queue("a", "b!", "c")
        _ = sent(&queue)
        let left = queue.removeExpired(at: start + .seconds(2))
        #expect(left.notExecuted == ["a"] && left.unknown == ["b!"])
        #expect(queue.removeExpired(at: start + .seconds(2)).notExecuted.isEmpty)
        #expect(queue.nextDeadline == start + .seconds(3))
        #expect(queue.oldestSent == start)
        #expect(
            [queue.takeAnswered()?.caller, queue.takeAnswered()?.caller, queue.takeAnswered()?.caller] == [
                nil, nil, "c"
            ])
        #expect(queue.isEmpty && queue.oldestSent == nil)
    }

    @Test func `no caller is resumed twice, and calls without a caller aren't repeated`() {
        var queue = queue("a", "b!")
        _ = sent(&queue)
        _ = queue.removeExpired(at: start + .seconds(9))
        #expect(queue.connectionLost().isEmpty)
        #expect(queue.isEmpty)
    }

    @Test func `repeated calls keep their order`() throws {
        var queue = queue("a", "b", "c", "d")
        queue.markNextSent(at: start)
        queue.markNextSent(at: start)
        queue.markNextSent(at: start)
        let notExecuted = queue.takeAnswered()
        queue.putBack([try #require(notExecuted)])
        #expect(queue.connectionLost().isEmpty)
        #expect(sent(&queue) == ["a", "b", "c", "d"])
    }

    @Test func `the window is empty after a lost connection`() {
        var queue = queue("aaa", "bbb!", "ccc", window: 7)
        #expect(sent(&queue) == ["aaa", "bbb!"])
        #expect(queue.connectionLost() == ["bbb!"])
        #expect(sent(&queue) == ["aaa", "ccc"])
    }
}
