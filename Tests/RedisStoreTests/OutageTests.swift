import Heybot
import HeybotTesting
import RedisStore
import TestServers
import Testing

/// A Redis that isn't running, is stopped, freezes, or is no longer a master.
@Suite(.serialized, .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(15))) struct OutageTests {
    private let counters = BrainCollection<Int>("counters")
    private let key = StoreKey(collection: "c", name: "k")

    /// The URL of a Redis that isn't running: no test's server listens at this address.
    private static func unavailable() throws -> String { "redis://127.0.0.9:\(try Port.free())" }

    // MARK: Opening

    @Test func `opening waits for Redis, and logs that once`() async throws {
        let server = try await RedisServer.start()
        await server.stop()
        let log = TestLog()
        let store = try store(server.url, log: log)
        let opening = Task { try await store.open() }
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
        try await server.start()
        try await opening.value
        try await store.set([1], for: key)
        await store.close()
        let lines = log.lines(from: .notice)
        #expect(lines.first?.contains("connection refused") == true)
        #expect(lines.first?.hasSuffix("waiting for it") == true)
        #expect(lines.count { $0.contains("connection refused") } == 1)
        #expect(lines.contains { $0.hasPrefix("Redis is available after ") })
        await server.stop()
    }

    @Test func `opening fails after its timeout`() async throws {
        let store = try store(Self.unavailable()) { $0.openTimeout = .seconds(10) }
        let error = await storeError { try await store.open() }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("connection refused") == true)
        let closed = await storeError { _ = try await store.value(for: key) }
        #expect(closed?.code == .closed)
    }

    @Test func `a waiting open can be closed`() async throws {
        let log = TestLog()
        let store = try store(Self.unavailable(), log: log)
        let opening = Task { try await store.open() }
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
    }

    @Test func `a robot that waits for its brain handles no messages, and can be stopped`() async throws {
        let log = TestLog()
        let store = try store(Self.unavailable(), log: log)
        let robot = Robot(adapters: [Deaf()], brain: Brain(store: store), scripts: [], logger: log.logger)
        let running = Task { try await robot.run() }
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
        robot.stop()
        try await running.value
    }

    // MARK: Later answers

    @Test func `a call waits for Redis to come back`() async throws {
        let server = try await RedisServer.start(.init(isDurable: true))
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            try await brain.update(counters, "a", default: 0) { $0 += 1 }
            await server.stop()
            let update = Task { try await brain.update(counters, "a", default: 0) { $0 += 1 } }
            let read = Task { try await store.value(for: key) }
            try await server.start()
            try await update.value
            #expect(try await read.value == nil)
            #expect(try await brain.recall(counters, "a") == 2)
        }
        await server.stop()
    }

    @Test func `a call fails after its timeout, and later calls succeed`() async throws {
        let server = try await RedisServer.start(.init(isDurable: true))
        let log = TestLog()
        try await withStore(server.url) { try await $0.set([1], for: key) }
        try await withStore(server.url, log: log, { $0.callTimeout = .seconds(2) }) { store in
            await server.stop()
            for call in [
                { @Sendable in _ = try await store.value(for: key) },
                { @Sendable in try await store.set([2], for: key) },
                { @Sendable in _ = try await store.compareAndSet([2], for: key, expecting: [1]) },
                { @Sendable in _ = try await store.page(of: "c", after: nil, limit: 1) }
            ] {
                let error = await storeError(call)
                #expect(error?.code == .unavailable)
                // Which it is depends on whether another connection was tried yet.
                let reasons = ["connection refused", "it closed the connection"]
                #expect(
                    reasons.contains { error?.description.contains($0) == true }, "\(error?.description ?? "none")")
                #expect(error?.userMessage == "My memory isn't available just now.")
            }
            try await server.start()
            try await wait(for: "the log to say that it's back") {
                log.lines(from: .notice).contains { $0.hasPrefix("Redis is back after ") }
            }
            try await wait(within: .testLimit, for: "the value") { try await store.value(for: key) == [1] }
        }
        await server.stop()
    }

    @Test func `the connection to a frozen server is closed, and opened again later`() async throws {
        let server = try await RedisServer.start()
        let log = TestLog()
        try await withStore(server.url) { try await $0.set([1], for: key) }
        try await withStore(server.url, log: log, { $0.callTimeout = .seconds(5) }) { store in
            server.pause()
            try await wait(for: "it to stand still") { server.processes.allSatisfy(ChildProcess.isStopped) }
            let errors = await withTaskGroup(of: StoreError?.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        await storeError {
                            if number.isMultiple(of: 2) {
                                _ = try await store.value(for: key)
                            } else {
                                _ = try await store.compareAndSet([3], for: key, expecting: [9])
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.allSatisfy { $0?.code == .unavailable })
            #expect(errors.contains { $0?.description.contains("didn't answer within") == true })
            #expect(errors.contains { $0?.description.contains("the change may or may not have been made") == true })
            server.resume()
            try await wait(for: "the log to say that it's back") {
                log.lines(from: .notice).contains { $0.hasPrefix("Redis is back after ") }
            }
            try await wait(within: .testLimit, for: "the value") { try await store.value(for: key) == [1] }
        }
        await server.stop()
    }

    // MARK: Failover

    @Test func `calls to a master that becomes read-only are repeated until it is a master again`() async throws {
        let other = try await RedisServer.start()
        let server = try await RedisServer.start()
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            try await brain.update(counters, "a", default: 0) { $0 += 1 }
            try await server.command("REPLICAOF", "127.0.0.1", "1")
            #expect(try await brain.recall(counters, "a") == 1)
            let update = Task { try await brain.update(counters, "a", default: 0) { $0 += 1 } }
            try await wait(within: .testLimit, for: "a refusal") {
                try await server.command("INFO", "errorstats").contains("READONLY")
            }
            try await server.command("REPLICAOF", "NO", "ONE")
            try await update.value
            #expect(try await brain.recall(counters, "a") == 2)
        }
        try await withStore(server.url, { $0.callTimeout = .seconds(2) }) { store in
            try await server.command("REPLICAOF", "127.0.0.1", "1")
            for change in [
                { @Sendable in try await store.set([1], for: key) },
                { @Sendable in _ = try await store.compareAndSet([1], for: key, expecting: nil) }
            ] {
                // On a busy machine, its timeout may pass before it is refused.
                var error: StoreError?
                try await wait(within: .testLimit, for: "a refusal") {
                    error = await storeError(change)
                    return error?.code == .readOnly
                }
                #expect(error?.description.contains("is a read-only replica") == true)
            }
        }
        await server.stop()
        await other.stop()
    }

    @Test func `Sentinels name the master, and the new one after a failover`() async throws {
        let master = try await RedisServer.start(.init(password: "secret"))
        let replica = try await RedisServer.start(.init(password: "secret", replicaOf: master.port))
        let sentinel = try await RedisSentinel.start(watching: master, password: "quis custodiet")
        let nobody = try Port.free()
        // The first Sentinel isn't running.
        let url = "redis+sentinel://:secret@127.0.0.9:\(nobody),127.0.0.1:\(sentinel.port)/mymaster"
        try await withStore(url, { $0.sentinelPassword = "quis custodiet" }) { store in
            let brain = Brain(store: store)
            for _ in 0..<10 { try await brain.update(counters, "a", default: 0) { $0 += 1 } }
            try await master.command("WAIT", "1", "600000")
            try await sentinel.detectFailure()
            await master.stop(gracefully: false)
            // The Sentinel needs a while to detect the failure.
            try await wait(within: .testLimit, for: "the replica to be master") {
                try await replica.command("ROLE").hasPrefix("master")
            }
            // The Sentinel needs another while to report it.
            try await brain.update(counters, "a", default: 0) { $0 += 1 }
            #expect(try await brain.recall(counters, "a") == 11)
            #expect(try await replica.command("HGET", "heybot:collection:counters", "a") == "11")
        }
        await sentinel.stop()
        await replica.stop()
    }

    @Test func `a requested failover causes no error`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        let sentinel = try await RedisSentinel.start(watching: master)
        try await withStore("redis+sentinel://127.0.0.1:\(sentinel.port)/mymaster") { store in
            let brain = Brain(store: store)
            try await brain.update(counters, "a", default: 0) { $0 += 1 }
            try await sentinel.failOver()
            #expect(try await sentinel.masterPort() == replica.port)
            // The Sentinel takes about ten seconds to reconfigure the old master.
            try await master.command("REPLICAOF", "127.0.0.1", "\(replica.port)")
            try await brain.update(counters, "a", default: 0) { $0 += 1 }
            #expect(try await replica.command("HGET", "heybot:collection:counters", "a") == "2")
        }
        for server in [sentinel, replica, master] as [RunningServer] { await server.stop() }
    }

    @Test func `Sentinels that don't know the master's name`() async throws {
        let master = try await RedisServer.start()
        let sentinel = try await RedisSentinel.start(watching: master, replicas: 0)
        let error = await storeError {
            try await store("redis+sentinel://127.0.0.1:\(sentinel.port)/theirmaster").open()
        }
        #expect(error?.description.contains("knows no master named theirmaster") == true)
        await sentinel.stop()
        await master.stop()
    }
}

/// Receives nothing, and waits for cancellation.
private struct Deaf: Adapter {
    let name = "deaf"
    let status = AdapterStatus.starting

    func run(_ inbox: Inbox) async throws {
        Issue.record("it was started")
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}

/// Polls until a condition holds; an error counts as not yet.
private func wait(
    within limit: Duration, for what: String, until isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while (try? await isSo()) != true {
        guard ContinuousClock.now < end else { throw TestServerError.timedOut(what, got: []) }
        try await Task.sleep(for: .milliseconds(20))
    }
}
