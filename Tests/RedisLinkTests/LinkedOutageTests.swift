import Heybot
import HeybotTesting
import RedisLink
import Synchronization
import TestServers
import Testing

/// A robot in several processes whose Redis is replaced, or can't be reached.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(10))) struct LinkedOutageTests {
    @Test func `an answer that a closure gives while Redis is away comes later, also if its deadline passes`()
        async throws
    {
        try await LinkedRobots.with(leaseTime: .seconds(120)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let proxy = try CuttingProxy(to: robots.server.port)
            let gate = AsyncStream<Void>.makeStream()
            let begun = Atomic(0)
            let (worker, one) = try await robots.worker(
                InlineScript {
                    // The deadline passes before the first attempt of the call has failed.
                    $0.respond(/count/, deadline: .seconds(1)) { res in
                        let isFirst = begun.add(1, ordering: .acquiringAndReleasing).newValue == 1
                        if isFirst { for await _ in gate.stream {} }
                        try await res.send("1")
                        try await res.send("2")
                    }
                }, port: proxy.port)
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            await adapter.hear("heybot count")
            try await wait(for: "the closure") { begun.load(ordering: .acquiring) == 1 }
            proxy.block()
            gate.continuation.finish()
            // As long as a call may take, and some more.
            try await Task.sleep(for: .seconds(4))
            proxy.unblock()
            try await wait(for: "the message to be handled again") { begun.load(ordering: .acquiring) > 1 }
            await adapter.hasSaid(3)
            try await robots.wait { try await robots.openMessages() == 0 }
            #expect(adapter.said.filter { !$0.hasPrefix("That took too long") } == ["1", "2"])
            try await worker.stop()
            try await gateway.stop()
            proxy.stop()
        }
    }

    @Test func `a message whose closure fails while Redis is away is answered when it is back`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(120)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let proxy = try CuttingProxy(to: robots.server.port)
            let gate = AsyncStream<Void>.makeStream()
            let begun = Atomic(0)
            let (worker, one) = try await robots.worker(
                InlineScript {
                    $0.respond(/fetch/) { res in
                        if begun.add(1, ordering: .acquiringAndReleasing).newValue == 1 {
                            for await _ in gate.stream {}
                            throw StoreError(.unavailable, "can't connect to Redis")
                        }
                        try await res.send("fetched")
                    }
                }, port: proxy.port, deadline: .seconds(3))
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            await adapter.hear("heybot fetch")
            try await wait(for: "the closure") { begun.load(ordering: .acquiring) == 1 }
            proxy.block()
            gate.continuation.finish()
            // Longer than the robot tries to say that something went wrong.
            try await Task.sleep(for: .seconds(8))
            proxy.unblock()
            await adapter.hasSaid(1)
            try await robots.wait { try await robots.openMessages() == 0 }
            #expect(adapter.said == ["fetched"])
            try await worker.stop()
            try await gateway.stop()
            proxy.stop()
        }
    }

    @Test func `everything goes on with a Sentinel's new master, and nothing is answered again`() async throws {
        try await LinkedRobots.with { robots in
            let master = robots.server
            let replica = try await RedisServer.start(.init(replicaOf: master.port))
            let sentinel = try await RedisSentinel.start(watching: master)
            var robots = robots
            robots.url = "redis+sentinel://127.0.0.1:\(sentinel.port)/mymaster"
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(
                InlineScript { $0.respond(/say (?<number>\d+)/) { try await $0.send("\($0.match.number)") } })
            for number in 1...50 { await adapter.hear("heybot say \(number)", in: "#\(number % 5)") }
            await adapter.hasSaid(50)
            try await robots.wait { try await robots.openMessages() == 0 }
            // What a replica doesn't have yet is lost at a failover.
            try await master.command("WAIT", "1", "600000")
            try await sentinel.failOver()
            // The Sentinel takes about ten seconds to reconfigure the old master.
            try await master.command("REPLICAOF", "127.0.0.1", "\(replica.port)")
            for number in 51...100 { await adapter.hear("heybot say \(number)", in: "#\(number % 5)") }
            await adapter.hasSaid(100)
            #expect(adapter.said.compactMap { Int($0) }.sorted() == Array(1...100))
            try await worker.stop()
            try await gateway.stop()
            for server in [sentinel, replica] as [RunningServer] { await server.stop() }
        }
    }
}
