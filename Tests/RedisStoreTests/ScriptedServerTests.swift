import Heybot
import HeybotTesting
import RedisStore
import Synchronization
import TestServers
import Testing

/// Situations that a real server can't be brought into at the right moment.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ScriptedServerTests {
    private let key = StoreKey(collection: "c", name: "k")
    private let server: ScriptedRedis

    init() throws {
        server = try ScriptedRedis()
    }

    private var url: String { "redis://127.0.0.1:\(server.port)" }

    /// Plays the server up to the first command that matters.
    private func accept(until name: String) async throws -> (AcceptedRedisClient, command: [String]) {
        let client = try await server.accept()
        let command = try await client.welcome(until: name, answers: ["GETRANGE": .text("1")])
        return (client, command.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Opens a store while the body plays the server.
    private func play(
        log: TestLog = TestLog(), _ change: (inout RedisStore.Configuration) -> Void = { _ in },
        _ body: (RedisStore, AcceptedRedisClient) async throws -> Void
    ) async throws {
        let store = try store(url, log: log) {
            $0.warnsOfDataLoss = false
            change(&$0)
        }
        let opening = Task { try await store.open() }
        let (client, command) = try await accept(until: "GETRANGE")
        #expect(command == ["GETRANGE", "heybot:version", "0", "19"])
        client.reply(.text("1"))
        try await opening.value
        try await body(store, client)
        await store.close()
    }

    /// Closes the connection, and waits until the store has noticed.
    private func leave(_ client: AcceptedRedisClient, _ log: TestLog) async throws {
        server.stopListening()
        client.close()
        try await wait(for: "a word in the log") { !log.lines(from: .warning).isEmpty }
    }

    @Test func `calls are pipelined`() async throws {
        try await play { store, client in
            async let one = store.value(for: StoreKey(name: "1"))
            try await client.expectCommand("HGET", "heybot:values", "1")
            async let two = store.value(for: StoreKey(name: "2"))
            try await client.expectCommand("HGET", "heybot:values", "2")
            client.reply(.text("a"))
            client.reply(.text("b"))
            #expect(try await one == [97])
            #expect(try await two == [98])
        }
    }

    @Test func `a compare-and-set whose reply is lost isn't repeated`() async throws {
        try await play { store, client in
            let change = Task { await storeError { _ = try await store.compareAndSet([1], for: key, expecting: nil) } }
            #expect(try await client.command().first == Array("EVALSHA".utf8))
            client.close()
            #expect(await change.value?.description.contains("the change may or may not have been made") == true)
            #expect(await change.value?.code == .unavailable)
            let read = Task { try await store.value(for: key) }
            let (next, command) = try await accept(until: "HGET")
            #expect(command == ["HGET", "heybot:collection:c", "k"])
            next.reply(.bulk(nil))
            #expect(try await read.value == nil)
        }
    }

    @Test(arguments: [nil, [49]] as [[UInt8]?])
    func `a change whose reply is lost isn't repeated`(_ value: [UInt8]?) async throws {
        try await play { store, client in
            let change = Task { await storeError { try await store.set(value, for: key) } }
            #expect(try await client.command().first == Array((value == nil ? "HDEL" : "HSET").utf8))
            client.close()
            #expect(await change.value?.description.contains("the change may or may not have been made") == true)
            let read = Task { try await store.value(for: key) }
            let (next, _) = try await accept(until: "HGET")
            next.reply(.bulk(nil))
            #expect(try await read.value == nil)
        }
    }

    @Test func `reads are repeated`() async throws {
        try await play { store, client in
            let read = Task { try await store.value(for: key) }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            client.close()
            let (next, command) = try await accept(until: "HGET")
            #expect(command == ["HGET", "heybot:collection:c", "k"])
            next.reply(.text("x"))
            #expect(try await read.value == [120])
        }
    }

    @Test func `a change without a connection waits for one`() async throws {
        let log = TestLog()
        try await play(log: log) { store, client in
            try await leave(client, log)
            let change = Task { try await store.compareAndSet([49], for: key, expecting: nil) }
            try server.listen()
            let (next, _) = try await accept(until: "EVALSHA")
            next.reply(.integer(1))
            #expect(try await change.value)
        }
    }

    @Test func `a caller's timeout doesn't close the connection`() async throws {
        try await play({ $0.callTimeout = .seconds(20) }) { store, client in
            let count = 40
            for _ in 0..<count {
                Task { await storeError { _ = try await store.value(for: key) } }
                try await client.expectCommand("HGET", "heybot:collection:c", "k")
            }
            let late = Mutex<StoreError?>(nil)
            async let change: Void = {
                let error = await storeError { _ = try await store.compareAndSet([49], for: key, expecting: nil) }
                late.withLock { $0 = error }
            }()
            _ = try await client.command()
            // The server is up, but replies to so much else that the caller's timeout passes.
            // It never falls silent, however fast the machine is.
            var (last, answers) = (ContinuousClock.now, 0)
            try await wait(for: "the end of the caller's time") {
                if ContinuousClock.now - last > .milliseconds(500), answers < count {
                    client.reply(.text("x"))
                    (last, answers) = (.now, answers + 1)
                }
                return late.withLock { $0 != nil }
            }
            await change
            #expect(late.withLock { $0 }?.description.contains("the change may or may not have been made") == true)
            // The late reply isn't mistaken for another call's.
            let read = Task { try await store.value(for: key) }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            for _ in answers..<count { client.reply(.text("x")) }
            client.reply(.integer(1))
            client.reply(.text("y"))
            #expect(try await read.value == [121])
        }
    }

    @Test func `a reply in small pieces doesn't count as silence`() async throws {
        try await play({ $0.callTimeout = .seconds(20) }) { store, client in
            let late = Mutex<StoreError?>(nil)
            async let slow: Void = {
                let error = await storeError { _ = try await store.value(for: key) }
                late.withLock { $0 = error }
            }()
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            let length = 1_000_000
            client.sendRaw(Array("$\(length)\r\n".utf8))
            var (looks, sent) = (0, 0)
            try await wait(for: "the end of the caller's time") {
                looks += 1
                if looks % 20 == 0 {
                    client.sendRaw([65])
                    sent += 1
                }
                return late.withLock { $0 != nil }
            }
            await slow
            #expect(late.withLock { $0 }?.code == .unavailable)
            // The connection is still the same.
            let read = Task { try await store.value(for: key) }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            client.sendRaw([UInt8](repeating: 65, count: length - sent) + Array("\r\n".utf8))
            client.reply(.text("y"))
            #expect(try await read.value == [121])
        }
    }

    @Test func `a reply over the limit fails only its own call`() async throws {
        try await play { store, client in
            let read = Task { await storeError { _ = try await store.value(for: key) } }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            client.sendRaw(Array("$999999999\r\n".utf8) + [UInt8](repeating: 65, count: 34 << 20))
            let error = await read.value
            #expect(error?.code == .tooLong)
            #expect(error?.description.contains("heybot:collection:c") == true)
            let other = Task { try await store.value(for: key) }
            let (next, _) = try await accept(until: "HGET")
            next.reply(.text("x"))
            #expect(try await other.value == [120])
        }
    }

    @Test func `an unknown script is sent in full, also while closing`() async throws {
        try await play { store, client in
            let change = Task { try await store.compareAndSet([49], for: key, expecting: nil) }
            let first = try await client.command()
            #expect(first.first == Array("EVALSHA".utf8))
            let closing = Task { await store.close() }
            client.reply(.error("NOSCRIPT No matching script. Please use EVAL."))
            let second = try await client.command()
            #expect(second.first == Array("EVAL".utf8))
            client.reply(.integer(1))
            #expect(try await change.value)
            await closing.value
        }
    }

    @Test func `Sentinels with outdated information are asked after the others`() async throws {
        let (one, other) = (try ScriptedRedis(), try ScriptedRedis())
        let nobody = try Port.free()
        let store = try store("redis+sentinel://127.0.0.1:\(one.port),127.0.0.1:\(other.port)/mymaster") {
            $0.warnsOfDataLoss = false
        }
        let opening = Task { try await store.open() }
        for (sentinel, port) in [(one, nobody), (other, server.port)] {
            let asked = try await sentinel.accept()
            try await asked.expectCommand("SENTINEL", "get-master-addr-by-name", "mymaster")
            asked.reply(.array([.text("127.0.0.1"), .text("\(port)")]))
        }
        let (client, _) = try await accept(until: "GETRANGE")
        client.reply(.text("1"))
        try await opening.value
        await store.close()
    }

    @Test func `calls that a replica refuses are repeated on another server, after all outstanding replies`()
        async throws
    {
        try await play { store, client in
            let change = Task { try await store.compareAndSet([49], for: key, expecting: nil) }
            #expect(try await client.command().first == Array("EVALSHA".utf8))
            let read = Task { try await store.value(for: key) }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            client.reply(.error("READONLY You can't write against a read only replica."))
            client.reply(.text("x"))
            #expect(try await read.value == [120])
            let (next, _) = try await accept(until: "EVALSHA")
            next.reply(.integer(1))
            #expect(try await change.value)
        }
    }

    @Test func `the refusal is the reason even if the repeated call isn't answered in time`() async throws {
        try await play({ $0.callTimeout = .seconds(20) }) { store, client in
            let change = Task { await storeError { _ = try await store.compareAndSet([49], for: key, expecting: nil) } }
            #expect(try await client.command().first == Array("EVALSHA".utf8))
            client.reply(.error("READONLY You can't write against a read only replica."))
            let (next, _) = try await accept(until: "EVALSHA")
            let error = await change.value
            #expect(error?.code == .readOnly)
            #expect(error?.reason.hasSuffix("is a read-only replica; the change may or may not have been made") == true)
            #expect(error?.fix == "use the URL of the master or of the Sentinels")
            next.close()
        }
    }

    @Test func `a loading server is retried`() async throws {
        let log = TestLog()
        let store = try store(url, log: log) { $0.warnsOfDataLoss = false }
        let opening = Task { try await store.open() }
        for _ in 0..<3 {
            let client = try await server.accept()
            _ = try await client.welcome(until: "PING")
            client.reply(.error("LOADING Redis is loading the dataset in memory"))
        }
        let (client, _) = try await accept(until: "GETRANGE")
        client.reply(.text("1"))
        try await opening.value
        #expect(log.lines(from: .warning).count == 1)
        #expect(log.lines(from: .warning).first?.contains("is still loading its data") == true)
        await store.close()
    }

    @Test func `a connection that is lost at once still counts as an outage`() async throws {
        let store = try store(url) { $0.warnsOfDataLoss = false }
        let opening = Task { try await store.open() }
        for name in ["CLIENT", "PING", "GETRANGE"] {
            let client = try await server.accept()
            _ = try await client.welcome(until: name)
            client.close()
        }
        // A replica, where there was no brain yet.
        let replica = try await server.accept()
        _ = try await replica.welcome(until: "SETNX", answers: ["GETRANGE": .text("")])
        replica.reply(.error("READONLY You can't write against a read only replica."))
        let (client, _) = try await accept(until: "GETRANGE")
        client.reply(.text("1"))
        try await opening.value
        await store.close()
    }

    @Test(arguments: ["%1\r\n+a\r\n+b\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", ":1\r\n:2\r\n"])
    func `a server that doesn't speak the protocol is disconnected and retried`(_ text: String) async throws {
        let log = TestLog()
        try await play(log: log) { store, client in
            let read = Task { try await store.value(for: key) }
            try await client.expectCommand("HGET", "heybot:collection:c", "k")
            if text.hasPrefix(":") {
                client.reply(.bulk(nil))
                #expect(try await read.value == nil)
            }
            client.sendRaw(Array(text.utf8))
            guard !text.hasPrefix(":") else {
                _ = try await accept(until: "PING")
                return
            }
            let (next, _) = try await accept(until: "HGET")
            next.reply(.text("x"))
            #expect(try await read.value == [120])
        }
        #expect(!log.lines(from: .warning).isEmpty)
    }

    @Test func `a silent connection is pinged`() async throws {
        try await play({ $0.pingInterval = .milliseconds(50) }) { _, client in
            for _ in 0..<2 {
                try await client.expectCommand("PING")
                client.reply(.status("PONG"))
            }
            #expect(!client.hasEnded)
        }
    }

    @Test func `a connection on which a ping gets no reply is closed`() async throws {
        try await play({
            $0.pingInterval = .milliseconds(50)
            $0.callTimeout = .seconds(10)
        }) { _, client in
            try await client.expectCommand("PING")
            _ = try await accept(until: "PING")
        }
    }

    @Test func `closing waits for outstanding calls`() async throws {
        try await play { store, client in
            let change = Task { await storeError { try await store.set([1], for: key) } }
            _ = try await client.command()
            let closing = Task { await store.close() }
            client.reply(.integer(1))
            await closing.value
            #expect(await change.value == nil)
            #expect(await storeError { try await store.set([1], for: key) }?.code == .closed)
        }
    }

    @Test func `closing waits at most until the timeout`() async throws {
        try await play({ $0.callTimeout = .seconds(20) }) { store, client in
            let change = Task { await storeError { _ = try await store.compareAndSet([1], for: key, expecting: nil) } }
            _ = try await client.command()
            await store.close()
            #expect(await change.value?.code == .unavailable)
        }
    }

    @Test func `no password is logged or thrown`() async throws {
        let log = TestLog()
        let store = try store("redis://marvin:hemmelig@127.0.0.1:\(server.port)", log: log) {
            $0.warnsOfDataLoss = false
        }
        let opening = Task { await storeError { try await store.open() } }
        let quoting = "ERR unknown command 'AUTH', with args beginning with: 'marvin', 'hemmelig', "
        // The last answer ends the attempts.
        let refusal = AcceptedRedisClient.Reply.error("DENIED 'AUTH', with args beginning with: 'marvin', 'hemmelig', ")
        for answer in [AcceptedRedisClient.Reply.error(quoting), .array([]), .integer(3), .error(quoting), refusal] {
            let client = try await server.accept()
            _ = try await client.welcome(until: "AUTH")
            client.reply(answer)
            if case .error = answer {
                // The store tries again without the user.
                _ = try await client.command()
                client.reply(answer)
            }
            client.close()
        }
        let error = await opening.value
        #expect(error != nil)
        #expect(!("\(error.map { "\($0)" } ?? "")" + log.lines().joined()).contains("hemmelig"))
    }
}
