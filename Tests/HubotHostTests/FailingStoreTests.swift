import Foundation
import HeybotSupport
import HeybotTesting
import Synchronization
import TestServers
import Testing

@testable import Heybot
@testable import HubotHost

/// A brain whose store fails or is slow for a while.
@Suite(.timeLimit(.minutes(15))) struct FailingStoreTests {
    /// A store in memory that fails or holds calls back on request.
    private final class FailingStore: Store {
        private let store = MemoryStore()
        private let isFailing = Mutex(false)
        private let calls = Atomic(0)
        let latch = Mutex<AsyncLatch?>(nil)

        private let sets = Atomic(0)

        /// The number of values that were stored.
        var stored: Int { sets.load(ordering: .relaxed) }

        /// The number of calls that have failed.
        var failures: Int { calls.load(ordering: .relaxed) }

        func fail(_ fails: Bool) { isFailing.withLock { $0 = fails } }

        private func check() async throws {
            await latch.withLock { $0 }?.wait()
            guard isFailing.withLock({ $0 }) else { return }
            calls.add(1, ordering: .relaxed)
            throw StoreError(.unavailable, "the store is down")
        }

        func open() async throws { try await store.open() }
        func close() async { await store.close() }
        func value(for key: StoreKey) async throws -> [UInt8]? {
            try await check()
            return try await store.value(for: key)
        }
        func set(_ value: [UInt8]?, for key: StoreKey) async throws {
            try await check()
            try await store.set(value, for: key)
            sets.add(1, ordering: .relaxed)
        }
        func compareAndSet(
            _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
        ) async throws -> Bool {
            try await check()
            return try await store.compareAndSet(value, for: key, expecting: expected)
        }
        func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
            try await store.page(of: collection, after: cursor, limit: limit)
        }
        func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
            try await store.collections(after: cursor, limit: limit)
        }
    }

    private static let counter = """
        module.exports = (robot) => {
          robot.respond(/count$/, (res) => res.send(String(robot.brain.data.count = (robot.brain.data.count || 0) + 1)));
          robot.respond(/keep (\\w+)$/, async (res) => { await robot.datastore.set(res.match[1], res.match[1]); res.send('kept'); });
          robot.respond(/get (\\w+)$/, async (res) => { console.log(`asks ${res.match[1]}`); res.send(`got ${await robot.datastore.get(res.match[1])}`); });
        };
        """

    @Test func `changes that can't be stored for a while aren't lost, even if the process is killed meanwhile`()
        async throws
    {
        let store = FailingStore()
        let bot = try await HubotBot(["count.js": Self.counter, "pid.js": HubotBot.pid], brain: Brain(store: store))
        #expect(await bot.says("hubot count") == ["1"])
        let pid = try await bot.processID()
        try await wait(for: "the stored value") { store.stored > 0 }
        store.fail(true)
        #expect(await bot.says("hubot count") == ["2"])
        try await wait(for: "a failure") { store.failures > 0 }
        try await bot.waitForLog("; trying again until it can be stored")
        kill(pid, SIGKILL)
        try await wait(for: "the end of the process") { !bot.host.isRunning }
        // The next process gets the brain with the change, although that isn't stored yet.
        try await bot.restart()
        #expect(await bot.says("hubot count") == ["3"])
        let stored = store.stored
        store.fail(false)
        try await wait(for: "the stored changes") {
            bot.pass(.milliseconds(10))
            return store.stored >= stored + 2
        }
    }

    @Test func `changes that can't be stored for a while are there after a reload`() async throws {
        let store = FailingStore()
        let bot = try await HubotBot(["count.js": Self.counter], brain: Brain(store: store))
        #expect(await bot.says("hubot count") == ["1"])
        try await wait(for: "the user and the count in the store") { store.stored == 2 }
        store.fail(true)
        #expect(await bot.says("hubot count") == ["2"])
        try await bot.waitForLog("; trying again until it can be stored")
        let isOver = Mutex(false)
        let reload = Task {
            defer { isOver.withLock { $0 = true } }
            return try await bot.host.reload()
        }
        try await wait(for: "the reload") {
            bot.pass(.milliseconds(10))
            return isOver.withLock { $0 }
        }
        #expect(try await reload.value == "Loaded 1 Hubot script.")
        #expect(await bot.says("hubot count") == ["3"])
        // The older value, once it is stored, doesn't replace the newer one, which the scripts haven't reported yet.
        store.fail(false)
        try await wait(for: "the stored changes") {
            bot.pass(.milliseconds(100))
            return store.stored == 4
        }
        #expect(await bot.says("hubot count") == ["4"])
    }

    @Test func `a change that is stored while the brain is being read isn't missed`() async {
        let pending = PendingBrainChanges()
        let (new, gone) = (BrainEntry("[\"a\"]", .integer(2)), BrainEntry("[\"b\"]", nil))
        #expect(pending.add([new]) { $0 == 1 })
        #expect(pending.add([gone]) { $0 == 2 })
        #expect(pending.laterKeys == ["[\"b\"]"])
        let old = BrainEntry("[\"a\"]", .integer(1))
        let entries = await pending.reading {
            pending.finishOldest()
            return [old]
        }
        #expect(entries == [old, new, gone])
        #expect(pending.all.entries == [gone])
        #expect(!pending.add([new]) { _ in false })
        #expect(pending.all.entries.count == 1)
        #expect(pending.all.newestBatch == 2)
    }

    @Test func `the robot stops while the store fails`() async throws {
        let store = FailingStore()
        let bot = try await HubotBot(["count.js": Self.counter], brain: Brain(store: store))
        #expect(await bot.says("hubot count") == ["1"])
        store.fail(true)
        #expect(await bot.says("hubot count") == ["2"])
        try await wait(for: "a failure") { store.failures > 0 }
        let end = Task { await bot.host.finish() }
        let isOver = Mutex(false)
        Task {
            await end.value
            isOver.withLock { $0 = true }
        }
        try await wait(for: "the end") {
            bot.clock.advance(by: .milliseconds(10))
            return isOver.withLock { $0 }
        }
        #expect(bot.log.lines(from: .error).last?.hasSuffix("the store is down") == true)
    }

    @Test func `an answer for a process that has ended isn't another one's`() async throws {
        let store = FailingStore()
        let bot = try await HubotBot(["count.js": Self.counter, "pid.js": HubotBot.pid], brain: Brain(store: store))
        for name in ["one", "two"] {
            _ = await bot.says("hubot keep \(name)")
        }
        try await wait(for: "both") { bot.robot.lines.count { $0.utterance.content == "kept" } == 2 }
        let pid = try await bot.processID()
        let latch = AsyncLatch()
        store.latch.withLock { $0 = latch }
        let one = Task { await bot.says("hubot get one") }
        try await bot.waitForLog("asks one")
        try await bot.killProcess(pid)
        let two = Task { await bot.says("hubot get two") }
        try await bot.waitForLog("asks two")
        latch.open()
        try await bot.waitForText("got two")
        _ = await (one.value, two.value)
        #expect(!bot.robot.lines.contains { $0.utterance.content == "got one" })
    }
}
