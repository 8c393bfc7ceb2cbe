import Foundation
import Synchronization
import TestServers
import Testing

/// Real servers.
@Suite(.serialized, .timeLimit(.minutes(15)), .enabled(if: RedisServer.isInstalled)) struct RedisServerTests {
    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `a durable server keeps its data over a restart`(_ isDurable: Bool, _ gracefully: Bool) async throws {
        let server = try await RedisServer.start(.init(isDurable: isDurable))
        #expect(try await server.command("SET", "key", "two words") == "OK")
        let client = try ScriptedConnection(connectingTo: server.port)
        let (processes, port) = (server.processes, server.port)
        #expect(processes.count == 1)
        await server.stop(gracefully: gracefully)
        try await client.expectEnd()
        #expect(server.processes.isEmpty && processes.allSatisfy { !ChildProcess.isRunning($0) })
        #expect(server.log.contains("Received SIGTERM") == gracefully)
        await #expect(throws: TestServerError.self) { try await server.command("PING") }
        try await server.start()
        #expect(server.port == port && server.processes.count == 1)
        #expect(try await server.command("GET", "key") == (isDurable ? "two words" : ""))
        await server.stop()
    }

    @Test func `starting waits until the data is loaded`() async throws {
        // A fifth of a millisecond per command; other clients get an answer (LOADING) after every 1024 commands.
        let server = try await RedisServer.start(.init(isDurable: true, settings: ["key-load-delay 200"]))
        try await server.command("EVAL", "for i = 1, 3000 do redis.call('SET', i, i) end", "0")
        await server.stop()
        try await server.start()
        #expect(try await server.command("DBSIZE") == "3000")
        await server.stop()
    }

    @Test func `replies are returned unchanged, and errors are thrown`() async throws {
        let server = try await RedisServer.start()
        try await server.command("RPUSH", "list", "a", "", "c\n")
        #expect(try await server.command("LRANGE", "list", "0", "-1") == "a\n\nc\n")
        #expect(try await server.command("LLEN", "list") == "3")
        #expect(try await server.command("ECHO", "-é \"x\"") == "-é \"x\"")
        await #expect { try await server.command("GET", "list") } throws: { "\($0)".contains("WRONGTYPE") }
        await #expect { try await server.command("NONSENSE") } throws: { "\($0)".contains("unknown command") }
        await server.stop()
    }

    @Test func `the password works, and additional settings take precedence`() async throws {
        let password = "it's \"quoted\" \\ ü #1"
        let server = try await RedisServer.start(.init(password: password, settings: ["databases 3", "save 60 1"]))
        #expect(try await server.command("CONFIG", "GET", "databases") == "databases\n3")
        #expect(try await server.command("CONFIG", "GET", "save") == "save\n60 1")
        let client = try ScriptedConnection(connectingTo: server.port)
        client.send("PING")
        try await client.expect("-NOAUTH")
        client.send("AUTH wrong")
        try await client.expect("-WRONGPASS")
        client.send("AUTH \"it's \\\"quoted\\\" \\\\ ü #1\"", "PING")
        try await client.expect("+OK")
        try await client.expect("+PONG")
        await server.stop()
    }

    @Test func `users have their permissions`() async throws {
        let server = try await RedisServer.start(.init(users: ["marvin on >secret ~heybot:* &* +@all -flushall"]))
        let client = try ScriptedConnection(connectingTo: server.port)
        client.send("AUTH marvin wrong")
        try await client.expect("-WRONGPASS")
        client.send("AUTH marvin secret", "SET heybot:a 1", "SET other 1", "FLUSHALL")
        try await client.expect("+OK")
        try await client.expect("+OK")
        try await client.expect("-NOPERM", "key")
        try await client.expect("-NOPERM", "flushall")
        await server.stop()
    }

    @Test func `TLS is optional`() async throws {
        let plain = try await RedisServer.start()
        #expect(plain.tlsPort == nil && plain.caFile == nil)
        await plain.stop()
        let server = try await RedisServer.start(.init(hasTLS: true))
        let (port, file) = (try #require(server.tlsPort), try #require(server.caFile))
        #expect(port != server.port)
        for host in ["localhost", "127.0.0.1"] {
            let words = ["redis-cli", "-e", "-h", host, "-p", "\(port)", "--tls"]
            #expect(try await ChildProcess.run(words + ["--cacert", file, "PING"], in: server.folder) == "PONG\n")
            await #expect(throws: TestServerError.self) {
                try await ChildProcess.run(words + ["PING"], in: server.folder)
            }
        }
        let client = try ScriptedConnection(connectingTo: port, trusting: file, name: "localhost")
        client.send("PING")
        try await client.expect("+PONG")
        #expect(try await server.command("PING") == "PONG")
        await server.stop()
    }

    @Test func `the Unix socket works, also after kill -9`() async throws {
        let server = try await RedisServer.start()
        #expect(server.socketPath.utf8.count < 100)
        for _ in 1...2 {
            let words = ["redis-cli", "-e", "-s", server.socketPath, "CONFIG", "GET", "port"]
            #expect(try await ChildProcess.run(words, in: server.folder) == "port\n\(server.port)\n")
            let mode = try FileManager.default.attributesOfItem(atPath: server.socketPath)[.posixPermissions]
            #expect(mode as? Int == 0o777)
            await server.stop(gracefully: false)
            try await server.start()
        }
        await server.stop()
    }

    @Test(arguments: [nil, "secret"])
    func `a replica has its master's data, and is read-only`(_ password: String?) async throws {
        let master = try await RedisServer.start(.init(password: password))
        try await master.command("SET", "key", "value")
        let replica = try await RedisServer.start(.init(password: password, replicaOf: master.port))
        #expect(try await replica.command("GET", "key") == "value")
        #expect(try await replica.command("ROLE").hasPrefix("slave\n127.0.0.1\n\(master.port)\nconnected\n"))
        await #expect { try await replica.command("SET", "key", "other") } throws: { "\($0)".contains("READONLY") }
        try await master.command("SET", "key", "new")
        #expect(try await master.command("WAIT", "1", "600000") == "1")
        #expect(try await replica.command("GET", "key") == "new")
        await replica.stop()
        await master.stop()
    }

    @Test func `starting a replica waits until it is synchronized`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        await replica.stop()
        try await master.command("SET", "key", "value")
        master.pause()
        try await wait(for: "it to stand still") { master.processes.allSatisfy(ChildProcess.isStopped) }
        let isReady = Mutex(false)
        async let started: Void = {
            try await replica.start()
            isReady.withLock { $0 = true }
        }()
        // Its replication state is polled.
        try await until {
            let asked = try await replica.command("INFO", "commandstats").firstMatch(of: #/cmdstat_role:calls=(\d+)/#)
            return asked.flatMap { Int($0.1) } ?? 0 >= 5 || isReady.withLock { $0 }
        }
        #expect(isReady.withLock { !$0 })
        master.resume()
        try await started
        #expect(try await replica.command("GET", "key") == "value")
        await replica.stop()
        await master.stop()
    }

    @Test func `the server listens on the loopback address only`() async throws {
        let server = try await RedisServer.start()
        let sentinel = try await RedisSentinel.start(watching: server, replicas: 0)
        for port in [server.port, sentinel.port] {
            let words = ["redis-cli", "-e", "-p", "\(port)"]
            #expect(try await ChildProcess.run(words + ["-h", "127.0.0.1", "PING"], in: server.folder) == "PONG\n")
            await #expect(throws: TestServerError.self) {
                try await ChildProcess.run(words + ["-h", "127.0.0.2", "PING"], in: server.folder)
            }
        }
        await sentinel.stop()
        await server.stop()
    }

    @Test func `the server can be paused, runs as nobody, and ends with its last reference`() async throws {
        var server: RedisServer? = try await RedisServer.start()
        let client = try ScriptedConnection(connectingTo: try #require(server?.port))
        server?.pause()
        try await wait(for: "it to stand still") { server?.processes.allSatisfy(ChildProcess.isStopped) == true }
        client.send("PING")
        server?.resume()
        try await client.expect("PONG")
        let process = try #require(server?.processes.first)
        let folder = try #require(server?.folder.path)
        if getuid() == 0 {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("Uid:\t65534\t65534\t65534\t65534"))
        }
        server = nil
        #expect(!ChildProcess.isRunning(process))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `an invalid setting is named in the error`() async throws {
        await #expect { try await RedisServer.start(.init(settings: ["nonsense 1"])) } throws: {
            "\($0)".contains("nonsense 1")
        }
    }
}
