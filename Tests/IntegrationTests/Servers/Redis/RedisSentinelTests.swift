import Synchronization
import TestServers
import Testing

/// Real sentinels.
@Suite(.timeLimit(.minutes(15)), .enabled(if: RedisServer.isInstalled)) struct RedisSentinelTests {
    @Test(arguments: [nil, "s3cret:ü\\"])
    func `it makes the replica the master when it's asked to`(_ password: String?) async throws {
        let master = try await RedisServer.start(.init(password: password))
        let replica = try await RedisServer.start(.init(password: password, replicaOf: master.port))
        try await master.command("SET", "key", "value")
        let sentinel = try await RedisSentinel.start(
            watching: master, name: "ours", password: password.map { "\($0) \"own\"" })
        #expect(try await sentinel.masterPort() == master.port)
        #expect(try await sentinel.command("SENTINEL", "MASTERS").hasPrefix("name\nours\n"))
        let client = try Conversation(connectingTo: sentinel.port)
        client.send("PING")
        try await client.expect(password == nil ? "+PONG" : "-NOAUTH")
        try await sentinel.failOver()
        #expect(try await sentinel.masterPort() == replica.port)
        #expect(try await replica.command("ROLE").hasPrefix("master\n"))
        #expect(try await replica.command("GET", "key") == "value")
        #expect(try await replica.command("SET", "key", "new") == "OK")
        await sentinel.stop()
        // It knows it still.
        try await sentinel.start()
        #expect(try await sentinel.masterPort() == replica.port)
        for server in [sentinel, replica, master] { await server.stop() }
    }

    @Test func `it makes the replica the master when that is gone`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        let sentinel = try await RedisSentinel.start(watching: master)
        #expect(sentinel.name == "mymaster")
        await master.stop(politely: false)
        try await until { try await sentinel.masterPort() == replica.port }
        try await until { try await replica.command("ROLE").hasPrefix("master\n") }
        for server in [sentinel, replica] { await server.stop() }
    }

    @Test func `it's ready when it knows as many replicas as it's told, and can't do without`() async throws {
        let master = try await RedisServer.start()
        let sentinel = try await RedisSentinel.start(watching: master, replicas: 0)
        await #expect { try await sentinel.failOver(within: .milliseconds(200)) } throws: {
            "\($0)".contains("NOGOODSLAVE")
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

    @Test func `it isn't ready before it knows the replica, and waits for one that it can choose`() async throws {
        let master = try await RedisServer.start()
        let replica = try await RedisServer.start(.init(replicaOf: master.port))
        for server in [master, replica] { server.pause() }
        let isReady = Mutex(false)
        let isOver = Mutex(false)
        async let started = {
            defer { isReady.withLock { $0 = true } }
            return try await RedisSentinel.start(watching: master)
        }()
        await never { isReady.withLock { $0 } }
        master.goOn()
        let sentinel = try await started
        async let failedOver: Void = {
            defer { isOver.withLock { $0 = true } }
            try await sentinel.failOver()
        }()
        await never { isOver.withLock { $0 } }
        replica.goOn()
        try await failedOver
        #expect(try await sentinel.masterPort() == replica.port)
        for server in [sentinel, replica, master] { await server.stop() }
    }

    /// That it isn't so for a while.
    private func never(_ isSo: () -> Bool) async {
        await #expect(throws: ServersError.self) {
            try await wait(within: .milliseconds(300), for: "what mustn't be", until: isSo)
        }
    }

    private func until(_ isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while try await !isSo() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
