import Synchronization
import TestServers
import Testing

/// Real Sentinels.
@Suite(.timeLimit(.minutes(15)), .enabled(if: RedisServer.isInstalled)) struct RedisSentinelTests {
    @Test(arguments: [nil, "s3cret:ü\\"])
    func `a requested failover promotes the replica`(_ password: String?) async throws {
        let master = try await RedisServer.start(.init(password: password))
        let replica = try await RedisServer.start(.init(password: password, replicaOf: master.port))
        try await master.command("SET", "key", "value")
        let sentinel = try await RedisSentinel.start(
            watching: master, name: "ours", password: password.map { "\($0) \"own\"" })
        #expect(try await sentinel.masterPort() == master.port)
        #expect(try await sentinel.command("SENTINEL", "MASTERS").hasPrefix("name\nours\n"))
        let client = try ScriptedConnection(connectingTo: sentinel.port)
        client.send("PING")
        try await client.expect(password == nil ? "+PONG" : "-NOAUTH")
        try await sentinel.failOver()
        #expect(try await sentinel.masterPort() == replica.port)
        #expect(try await replica.command("ROLE").hasPrefix("master\n"))
        #expect(try await replica.command("GET", "key") == "value")
        #expect(try await replica.command("SET", "key", "new") == "OK")
        await sentinel.stop()
        // It still knows the replica.
        try await sentinel.start()
        #expect(try await sentinel.masterPort() == replica.port)
        for server in [sentinel, replica, master] { await server.stop() }
    }

    @Test func `the replica is promoted when the master is gone`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        let sentinel = try await RedisSentinel.start(watching: master)
        #expect(sentinel.name == "mymaster")
        try await sentinel.detectFailure()
        await master.stop(gracefully: false)
        try await until { try await sentinel.masterPort() == replica.port }
        try await until { try await replica.command("ROLE").hasPrefix("master\n") }
        for server in [sentinel, replica] { await server.stop() }
    }

    @Test func `starting waits for the given number of replicas, and fails without them`() async throws {
        let master = try await RedisServer.start()
        let sentinel = try await RedisSentinel.start(watching: master, replicas: 0)
        // At first the Sentinel may not have seen the master, and give another error.
        try await until {
            do {
                try await sentinel.failOver(within: .milliseconds(200))
                return true
            } catch let error as TestServerError {
                return "\(error)".contains("NOGOODSLAVE")
            }
        }
        #expect(try await sentinel.masterPort() == master.port)
        let replicas = try await [
            RedisServer.start(.init(replicaOf: master.port)), RedisServer.start(.init(replicaOf: master.port))
        ]
        let other = try await RedisSentinel.start(watching: master, replicas: 2)
        let known = try await other.command("SENTINEL", "REPLICAS", other.name)
        for replica in replicas { #expect(known.contains("name\n127.0.0.1:\(replica.port)\n")) }
        for server in replicas + [sentinel, other, master] { await server.stop() }
    }

    @Test func `starting waits for a replica that can be promoted`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        for server in [master, replica] {
            server.pause()
            try await wait(for: "it to stand still") { server.processes.allSatisfy(ChildProcess.isStopped) }
        }
        let isReady = Mutex(false)
        let isOver = Mutex(false)
        async let started = {
            defer { isReady.withLock { $0 = true } }
            return try await RedisSentinel.start(watching: master)
        }()
        // As long as other Sentinels wait for a replica that doesn't exist.
        let lone = try await RedisServer.start()
        let others = try await [
            RedisSentinel.start(watching: lone, replicas: 0), RedisSentinel.start(watching: lone, replicas: 0)
        ]
        #expect(isReady.withLock { !$0 })
        master.resume()
        let sentinel = try await started
        let before = try await commands(of: sentinel)
        async let failedOver: Void = {
            defer { isOver.withLock { $0 = true } }
            try await sentinel.failOver()
        }()
        // The Sentinel is polled by other clients.
        var asked = 0
        try await until {
            asked += 1
            return try await commands(of: sentinel) - before - asked >= 10 || isOver.withLock { $0 }
        }
        #expect(isOver.withLock { !$0 })
        replica.resume()
        try await failedOver
        #expect(try await sentinel.masterPort() == replica.port)
        for server in others + [lone, sentinel, replica, master] { await server.stop() }
    }

    /// Returns the number of commands that the Sentinel has received.
    private func commands(of sentinel: RedisSentinel) async throws -> Int {
        let count = try await sentinel.command("INFO", "stats").firstMatch(of: #/total_commands_processed:(\d+)/#)
        return try #require(count.flatMap { Int($0.1) })
    }
}

/// Polls until a condition holds; an error counts as not yet.
func until(_ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .testLimit
    while (try? await isSo()) != true {
        try #require(ContinuousClock.now < end)
        try await Task.sleep(for: .milliseconds(20))
    }
}
