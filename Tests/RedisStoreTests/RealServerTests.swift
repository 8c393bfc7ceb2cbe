import Foundation
import Heybot
import HeybotSockets
import HeybotTesting
import RedisStore
import TestServers
import Testing

@Suite(.serialized, .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(10))) struct RealServerTests {
    private let isSoak = Soak.isOn
    private let counters = BrainCollection<Int>("counters")

    @Test(arguments: StoreConformanceTest.all) func `the store conforms to the conformance suite`(
        _ law: StoreConformanceTest
    )
        async throws
    {
        let server = try await RedisServer.start()
        let configuration = try configuration(server.url) { $0.warnsOfDataLoss = false }
        try await law.check { RedisStore(configuration) }
        await server.stop()
    }

    // MARK: Several processes

    @Test func `four processes lose no updates`() async throws {
        let server = try await RedisServer.start()
        let configuration = try configuration(server.url) { $0.warnsOfDataLoss = false }
        let laws = ProcessLaws(server.url) { RedisStore(configuration) }
        try await laws.processesLoseNoUpdate(4, times: isSoak ? 2_500 : 100)
        await server.stop()
    }

    /// Many rounds with `bin/test --soak`.
    @Test func `kill -9 reverts no update, and leaves none incomplete`() async throws {
        let server = try await RedisServer.start()
        let configuration = try configuration(server.url) { $0.warnsOfDataLoss = false }
        let laws = ProcessLaws(server.url) { RedisStore(configuration) }
        let rounds = isSoak ? 1_000 : 50
        let total = try await laws.killingLosesNothing(rounds: rounds)
        print("kill -9: \(rounds) rounds, \(total) acknowledged updates, none lost")
        #expect(total >= rounds * 20)
        await server.stop()
    }

    /// Many rounds with `bin/test --soak`.
    @Test func `kill -9 of a durable Redis reverts no update, and counts none twice`() async throws {
        let server = try await RedisServer.start(.init(isDurable: true))
        let configuration = try configuration(server.url) { $0.warnsOfDataLoss = false }
        let laws = ProcessLaws(server.url) { RedisStore(configuration) }
        let rounds = isSoak ? 100 : 10
        let total = try await laws.killingTheServerLosesNothing(rounds: rounds) {
            await server.stop(gracefully: false)
            try await server.start()
        }
        print("kill -9 of Redis: \(rounds) rounds, \(total) acknowledged updates, none lost")
        #expect(total >= rounds * 20)
        await server.stop()
    }

    // MARK: URLs

    @Test func `every kind of URL`() async throws {
        let server = try await RedisServer.start(
            .init(password: "p@ss word", users: ["marvin on >secret ~bots:* &* +@all"], hasTLS: true))
        let (port, tls) = (server.port, try #require(server.tlsPort))
        let authority = try #require(server.caFile)
        for url in [
            "redis://:p%40ss%20word@127.0.0.1:\(port)", "redis://:p%40ss%20word@localhost:\(port)/1?other",
            "redis://marvin:secret@127.0.0.1:\(port)/2/bots", "redis://default:p%40ss%20word@127.0.0.1:\(port)/3",
            // As hosting providers write it, with a user that the server doesn't know.
            "redis://redistogo:p%40ss%20word@127.0.0.1:\(port)/4", "unix://:p%40ss%20word@\(server.socketPath)?db=5",
            "redis://:p%40ss%20word@\(server.socketPath)?sixth&db=6", "rediss://:p%40ss%20word@localhost:\(tls)/7"
        ] {
            try await withStore(url, { $0.authorityFile = authority }) { store in
                let key = StoreKey(collection: "c", name: "k")
                #expect(try await store.value(for: key) == nil, "\(url)")
                try await store.set(Array(url.utf8), for: key)
                #expect(try await store.value(for: key) == Array(url.utf8), "\(url)")
            }
        }
        #expect(try await server.command("-n", "1", "KEYS", "*").contains("other:collection:c"))
        #expect(try await server.command("-n", "0", "KEYS", "*").contains("heybot:collection:c"))
        await server.stop()
    }

    // MARK: Permanent errors

    @Test func `a wrong, missing or superfluous password`() async throws {
        let server = try await RedisServer.start(.init(password: "secret", users: ["marvin on >hemmelig ~a:* +@all"]))
        let open = try await RedisServer.start()
        let host = "127.0.0.1:\(server.port)"
        for (url, words) in [
            ("redis://:hemmelig@\(host)", "rejected the password"), ("redis://\(host)", "requires a password"),
            ("redis://marvin:wrong@\(host)", "rejected the password"),
            ("redis://marvin:hemmelig@\(host)", "denies this command to the user"),
            ("redis://:hemmelig@127.0.0.1:\(open.port)", "requires no password, but the settings contain one")
        ] {
            let error = await storeError { try await store(url).open() }
            #expect(error?.code == .refused, "\(url)")
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains("hemmelig") == false)
        }
        await server.stop()
        await open.stop()
    }

    @Test func `an untrusted certificate, and a port without TLS`() async throws {
        let server = try await RedisServer.start(.init(hasTLS: true))
        let url = "rediss://localhost:\(try #require(server.tlsPort))"
        let untrusted = await storeError { try await store(url).open() }
        #expect(untrusted?.description.contains("can't be trusted") == true)
        // The server may not answer a TLS handshake at all, so the client retries.
        let plain = await storeError {
            try await store("rediss://localhost:\(server.port)") {
                $0.callTimeout = .seconds(2)
                $0.openTimeout = .seconds(15)
            }.open()
        }
        let words = ["doesn't speak TLS", "check that the server speaks TLS at this port"]
        #expect(words.contains { plain?.description.contains($0) == true }, "\(plain?.description ?? "")")
        let log = TestLog()
        try await withStore(url, log: log, { $0.acceptsAnyCertificate = true }) { _ in }
        #expect(log.lines(from: .warning).contains { $0.contains("pin the certificate's fingerprint") })
        await server.stop()
    }

    @Test func `a missing database, another program's keys, and a newer brain`() async throws {
        let server = try await RedisServer.start(.init(settings: ["databases 2"]))
        let database = await storeError { try await store("\(server.url)/2").open() }
        #expect(database?.description.contains("has no database with that number") == true)
        try await server.command("SET", "heybot:version", "2")
        let newer = await storeError { try await store(server.url).open() }
        #expect(newer?.code == .tooNew)
        try await server.command("SET", "other:version", "x")
        let other = await storeError { try await store("\(server.url)?other").open() }
        #expect(other?.code == .damaged)
        try await server.command("LPUSH", "third:version", "x")
        let third = await storeError { try await store("\(server.url)?third").open() }
        #expect(third?.code == .damaged)
        #expect(third?.description.contains("third:version") == true)
        #expect(try await server.command("GET", "heybot:version") == "2")
        await server.stop()
    }

    // MARK: Existing data

    @Test func `a key of another type is reported and left unchanged`() async throws {
        let server = try await RedisServer.start()
        try await server.command("SET", "heybot:collection:counters", "mine")
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            for attempt in [
                { @Sendable in _ = try await brain.recall(counters, "a") },
                { @Sendable in try await brain.remember(counters, "a", 1) },
                { @Sendable in try await brain.update(counters, "a", default: 0) { $0 += 1 } },
                { @Sendable in for try await _ in brain.entries(counters) {} }
            ] {
                let error = await storeError(attempt)
                #expect(error?.code == .damaged)
                #expect(error?.description.contains("heybot:collection:counters") == true)
            }
        }
        #expect(try await server.command("GET", "heybot:collection:counters") == "mine")
        await server.stop()
    }

    @Test func `a value of another type is reported and left unchanged`() async throws {
        let server = try await RedisServer.start()
        try await server.command("HSET", "heybot:collection:counters", "a", "\"seven\"", "b", "no JSON")
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            for key in ["a", "b"] {
                await #expect(
                    throws: BrainCodingError.unreadable(StoreKey(collection: "counters", name: key), expected: "Int")
                ) { try await brain.update(counters, key, default: 0) { $0 += 1 } }
            }
        }
        #expect(try await server.command("HGET", "heybot:collection:counters", "a") == "\"seven\"")
        await server.stop()
    }

    @Test func `a page of long values ends early, and no value is missing`() async throws {
        let server = try await RedisServer.start()
        try await withStore(server.url) { store in
            let value = [UInt8](repeating: 65, count: 300_000)
            for number in 0..<40 { try await store.set(value, for: StoreKey(collection: "c", name: "\(number)")) }
            var names: Set<String> = []
            var cursor: String?
            repeat {
                let page = try await store.page(of: "c", after: cursor, limit: 200)
                #expect(page.entries.count <= 15)
                for entry in page.entries { names.insert(entry.key) }
                cursor = page.next
            } while cursor != nil
            #expect(names.count == 40)
        }
        await server.stop()
    }

    @Test func `a full Redis refuses writes, and keeps its data`() async throws {
        let server = try await RedisServer.start(.init(settings: ["maxmemory 3mb", "maxmemory-policy noeviction"]))
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            let memories = BrainCollection<String>("c")
            try await brain.remember(memories, "first", "kept")
            let text = String(repeating: "x", count: 100_000)
            for change in [
                { @Sendable (key: String) in try await brain.remember(memories, key, text) },
                { @Sendable (key: String) in try await brain.update(memories, key, default: "") { $0 = text } }
            ] {
                let error = await storeError { for number in 0..<100 { try await change("\(number)") } }
                #expect(error?.code == .full)
            }
            #expect(try await brain.recall(memories, "first") == "kept")
            try await brain.forget(memories, "first")
        }
        await server.stop()
    }

    @Test func `a flushed script is sent again`() async throws {
        let server = try await RedisServer.start()
        try await withStore(server.url) { store in
            let brain = Brain(store: store)
            for _ in 0..<3 {
                try await brain.update(counters, "a", default: 0) { $0 += 1 }
                try await server.command("SCRIPT", "FLUSH")
            }
            #expect(try await brain.recall(counters, "a") == 3)
        }
        await server.stop()
    }

    @Test func `settings that may lose data are logged`() async throws {
        let server = try await RedisServer.start(
            .init(settings: ["maxmemory 100mb", "maxmemory-policy allkeys-lru"]))
        let log = TestLog()
        try await withStore(server.url, log: log) { _ in }
        #expect(log.lines(from: .warning).contains { $0.contains("to noeviction, not allkeys-lru") })
        #expect(log.lines(from: .notice).contains { $0.contains("set appendonly yes") })
        let quiet = TestLog()
        try await withStore(server.url, log: quiet, { $0.warnsOfDataLoss = false }) { _ in }
        #expect(quiet.lines(from: .info).isEmpty)
        await server.stop()
    }

    @Test func `a scan that is interrupted by a restart still finds all keys`() async throws {
        let server = try await RedisServer.start(.init(isDurable: true))
        try await server.command(
            "EVAL",
            "for i = 1, 5000 do redis.call('HSET', KEYS[1], 'entry ' .. i, i) "
                + "redis.call('HSET', 'heybot:collection:c' .. i, 'k', i) end", "1", "heybot:collection:large")
        try await withStore(server.url) { store in
            var (found, cursor, pages): (Set<String>, String?, Int) = ([], nil, 0)
            repeat {
                let page = try await store.page(of: "large", after: cursor, limit: 500)
                for entry in page.entries { found.insert(entry.key) }
                cursor = page.next
                pages += 1
                if pages == 5 {
                    await server.stop()
                    try await server.start()
                }
            } while cursor != nil && pages < 100
            #expect(found.count == 5_000)
            let names = try await StoreWalk.all { try await store.collections(after: $0, limit: 2_000) }
            #expect(names.count == 5_001)
        }
        await server.stop()
    }

    @Test func `another program's string is read in pieces, from a snapshot`() async throws {
        let server = try await RedisServer.start()
        let text = (0..<200_000).map { "\($0)," }.joined()
        try await server.command(
            "EVAL",
            "local t = {} for i = 0, 199999 do t[#t + 1] = i .. ',' end "
                + "redis.call('SET', KEYS[1], table.concat(t))", "1", "hubot:storage")
        try await withStore(server.url) { store in
            var pieces: [[UInt8]] = []
            var found = try #require(try await store.stringReader(for: "hubot:storage"))
            while let piece = try await found.next() {
                if pieces.isEmpty { try await server.command("SET", "hubot:storage", "something else") }
                pieces.append(piece)
            }
            await found.close()
            #expect(pieces.count > 4)
            #expect(Array(text.utf8) == pieces.flatMap { $0 })
            #expect(try await store.stringReader(for: "nothing") == nil)
        }
        #expect(try await server.command("KEYS", "*:copy:*") == "")
        await server.stop()
    }
}
