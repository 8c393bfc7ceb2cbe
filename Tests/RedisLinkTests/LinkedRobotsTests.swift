import GatewayHost
import Heybot
import HeybotTesting
import RedisLink
import Synchronization
import TestServers
import Testing

/// A robot whose gateways and workers are linked by a real Redis.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(10))) struct LinkedRobotsTests {
    private static let saying = InlineScript("Say") {
        $0.respond(/say (?<number>\d+)/) { try await $0.send("\($0.match.number)") }
    }

    @Test func `a command is answered through Redis, in order, and nothing is left there`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(Self.saying)
            for number in 1...200 { await adapter.hear("heybot say \(number)") }
            await adapter.hear("nothing")
            await adapter.hasSaid(200)
            #expect(adapter.said == (1...200).map { "\($0)" })
            try await robots.wait { try await robots.openMessages() == 0 }
            try await worker.stop()
            try await gateway.stop()
            #expect(try await robots.server.command("XLEN", "heybot:link:out:chat").hasPrefix("0"))
        }
    }

    @Test func `an adapter's error, an edit and a question work through Redis`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(
                InlineScript {
                    $0.respond(/topic/) { res in
                        do {
                            try await res.topic("news")
                        } catch let error as AdapterError {
                            try await res.send("\(error.code): \(error)")
                        }
                    }
                    $0.respond(/order/) { res in try await res.send("a " + res.ask("What?")) }
                })
            await adapter.hear("heybot topic")
            await adapter.hasSaid(1)
            await adapter.hear("heybot order")
            await adapter.hasSaid(2)
            await adapter.hear("tea")
            await adapter.hasSaid(3)
            #expect(adapter.said == ["notAllowed: nobody may set the topic", "What?", "a tea"])
            try await worker.stop()
            try await gateway.stop()
        }
    }

    @Test func `workers share the partitions, and each message is answered once while they come and go`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (first, one) = try await robots.worker(Self.saying)
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            let (second, two) = try await robots.worker(Self.saying)
            let hearing = Task {
                for number in 1...2_000 { await adapter.hear("heybot say \(number)", in: "#\(number % 50)") }
            }
            try await wait(for: "an equal share") { one.counts.partitions == 16 && two.counts.partitions == 16 }
            try await first.stop()
            try await wait(for: "all partitions") { two.counts.partitions == 32 }
            await hearing.value
            await adapter.hasSaid(2_000)
            try await robots.wait { try await robots.openMessages() == 0 }
            #expect(adapter.said.compactMap { Int($0) }.sorted() == Array(1...2_000))
            // In order in each room.
            for room in 0..<50 {
                let numbers = adapter.said.compactMap { Int($0) }.filter { $0 % 50 == room }
                #expect(numbers == numbers.sorted())
            }
            try await second.stop()
            try await gateway.stop()
        }
    }

    @Test func `what a worker that was cut off has begun is done by another one, and its late answers are refused`()
        async throws
    {
        try await LinkedRobots.with(leaseTime: .seconds(3)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let proxy = try CuttingProxy(to: robots.server.port)
            let gate = AsyncStream<Void>.makeStream()
            let refused = Mutex<[String]>([])
            let hasBegun = Atomic(false)
            let (lost, one) = try await robots.worker(
                InlineScript {
                    $0.respond(/count/) { res in
                        try await res.send("1")
                        hasBegun.store(true, ordering: .releasing)
                        for await _ in gate.stream {}
                        do { try await res.send("late") } catch { refused.withLock { $0.append("\(error)") } }
                    }
                }, port: proxy.port)
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            await adapter.hear("heybot count")
            try await wait(for: "the first answer") { hasBegun.load(ordering: .acquiring) }
            proxy.block()
            let (next, _) = try await robots.worker(
                InlineScript {
                    $0.respond(/count/) { res in
                        try await res.send("1")
                        try await res.send("2")
                    }
                })
            await adapter.hasSaid(2)
            proxy.unblock()
            gate.continuation.finish()
            try await wait(for: "a refusal") { !refused.withLock { $0 }.isEmpty }
            #expect(refused.withLock { $0 }.allSatisfy { $0 == "another process handles this message now" })
            #expect(adapter.said == ["1", "2"])
            try await robots.wait { try await robots.openMessages() == 0 }
            try await lost.stop()
            try await next.stop()
            try await gateway.stop()
            proxy.stop()
        }
    }

    @Test func `a question of a lost worker ends with an apology`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(3)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let proxy = try CuttingProxy(to: robots.server.port)
            let asking = InlineScript { $0.respond(/order/) { res in try await res.send("a " + res.ask("What?")) } }
            let (lost, one) = try await robots.worker(asking, port: proxy.port)
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            await adapter.hear("heybot order")
            await adapter.hasSaid(1)
            try await robots.wait {
                try await robots.server.command("KEYS", "heybot:link:asked:*").contains("asked")
            }
            proxy.block()
            let (next, _) = try await robots.worker(asking)
            await adapter.hasSaid(2)
            #expect(
                adapter.said.last
                    == "Sorry, I had to restart, and forgot what I asked you. Please give me the command again.")
            proxy.stop()
            try await next.stop()
            try await gateway.stop()
            lost.robot.stop()
        }
    }

    @Test func `a second gateway waits for the first, and what is said meanwhile arrives`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(3)) { robots in
            let (adapter, other) = (ChatAdapter(), ChatAdapter())
            let gateway = try await robots.gateway(adapter)
            let gate = AsyncStream<Void>.makeStream()
            let (worker, _) = try await robots.worker(
                InlineScript {
                    $0.respond(/wait/) { res in
                        for await _ in gate.stream {}
                        try await res.send("done")
                    }
                })
            await adapter.hear("heybot wait")
            try await robots.wait { try await robots.openMessages() == 1 }
            let second = AsyncStream<Void>.makeStream()
            let taking = Task {
                for await _ in second.stream {}
                return try await robots.gateway(other)
            }
            try await gateway.stop()
            gate.continuation.finish()
            try await robots.wait { try await robots.server.command("XLEN", "heybot:link:out:chat").hasPrefix("1") }
            // The worker renews its leases meanwhile.
            try await Task.sleep(for: .milliseconds(500))
            second.continuation.finish()
            let next = try await taking.value
            await other.hasSaid(1)
            #expect(adapter.said.isEmpty)
            #expect(other.said == ["done"])
            try await worker.stop()
            try await next.stop()
        }
    }

    @Test func `everything goes on after an outage of Redis`() async throws {
        try await LinkedRobots.with(options: .init(isDurable: true)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(Self.saying)
            for number in 1...20 { await adapter.hear("heybot say \(number)", in: "#\(number % 5)") }
            await adapter.hasSaid(20)
            for round in 1...3 {
                let hearing = Task {
                    for number in 1...50 {
                        await adapter.hear("heybot say \(round * 100 + number)", in: "#\(number % 5)")
                    }
                }
                await robots.server.stop(gracefully: false)
                try await robots.server.start()
                await hearing.value
                await adapter.hasSaid(20 + round * 50)
            }
            try await robots.wait { try await robots.openMessages() == 0 }
            let numbers = adapter.said.compactMap { Int($0) }
            #expect(numbers.count == Set(numbers).count)
            try await worker.stop()
            try await gateway.stop()
        }
    }

    @Test func `a message with which workers are lost again and again is given up`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(2)) { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            var lost: [LinkedRobots.Member] = []
            var proxies: [CuttingProxy] = []
            for _ in 0..<8 {
                let proxy = try CuttingProxy(to: robots.server.port)
                let (member, worker) = try await robots.worker(
                    InlineScript { $0.respond(/crash/) { _ in try await Task.sleep(for: .seconds(20)) } },
                    port: proxy.port)
                try await wait(for: "all partitions") { worker.counts.partitions == 32 }
                if lost.isEmpty { await adapter.hear("heybot crash") }
                try await wait(for: "the message, or an answer") {
                    worker.counts.messages == 1 || !adapter.said.isEmpty
                }
                lost.append(member)
                proxies.append(proxy)
                if !adapter.said.isEmpty { break }
                proxy.block()
            }
            #expect(adapter.said == ["Sorry, I couldn't do that: I crashed each time."])
            for member in lost { member.robot.stop() }
            for proxy in proxies { proxy.stop() }
            try await gateway.stop()
        }
    }

    @Test func `timers that scripts register are fired by one worker`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let fired = Mutex<[Int: Int]>([:])
            func script(_ number: Int) -> InlineScript {
                InlineScript { $0.every(.milliseconds(20)) { _ in fired.withLock { $0[number, default: 0] += 1 } } }
            }
            let (first, one) = try await robots.worker(script(1))
            try await wait(for: "all partitions") { one.counts.partitions == 32 }
            try await wait(for: "timers") { fired.withLock { $0[1, default: 0] } > 3 }
            let (second, two) = try await robots.worker(script(2))
            try await wait(for: "its share") { two.counts.partitions == 16 }
            let before = fired.withLock { $0 }
            try await wait(for: "more timers") {
                fired.withLock { $0.values.reduce(0, +) } > before.values.reduce(0, +) + 10
            }
            let after = fired.withLock { $0 }
            // Either of them, but not both.
            #expect((after[1] == before[1]) != (after[2, default: 0] == before[2, default: 0]))
            try await first.stop()
            try await wait(for: "the other's timers") {
                fired.withLock { $0[2, default: 0] } > after[2, default: 0] + 3
            }
            try await second.stop()
            try await gateway.stop()
        }
    }

    @Test func `a gateway that was cut off ends when another one has taken over`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(3)) { robots in
            let (adapter, other) = (ChatAdapter(), ChatAdapter())
            let proxy = try CuttingProxy(to: robots.server.port)
            let first = try await robots.gateway(adapter, port: proxy.port)
            let (worker, _) = try await robots.worker(Self.saying)
            await adapter.hear("heybot say 1")
            await adapter.hasSaid(1)
            proxy.block()
            let second = try await robots.gateway(other)
            await other.hear("heybot say 2")
            await other.hasSaid(1)
            // It ends by itself.
            proxy.unblock()
            try await first.running.value
            #expect(adapter.said == ["1"])
            try await worker.stop()
            try await second.stop()
            proxy.stop()
        }
    }

    @Test func `after an outage of Redis, the gateway that was connected goes on`() async throws {
        try await LinkedRobots.with(leaseTime: .seconds(2), options: .init(isDurable: true)) { robots in
            let (adapter, other) = (ChatAdapter(), ChatAdapter())
            let first = try await robots.gateway(adapter)
            let second = Task { try await robots.gateway(other) }
            let (worker, _) = try await robots.worker(Self.saying)
            await adapter.hear("heybot say 1")
            await adapter.hasSaid(1)
            await robots.server.stop(gracefully: false)
            // Longer than a lease.
            try await Task.sleep(for: .seconds(3))
            try await robots.server.start()
            await adapter.hear("heybot say 2")
            await adapter.hasSaid(2)
            try await first.stop()
            let next = try await second.value
            await other.hear("heybot say 3")
            await other.hasSaid(1)
            #expect(adapter.said == ["1", "2"])
            try await worker.stop()
            try await next.stop()
        }
    }

    @Test func `everything goes on after Redis has lost its data`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(Self.saying)
            for round in 1...3 {
                for number in 1...20 { await adapter.hear("heybot say \(round * 100 + number)", in: "#\(number % 5)") }
                await adapter.hasSaid(round * 20)
                try await robots.wait { try await robots.openMessages() == 0 }
                _ = try await robots.server.command("FLUSHALL")
            }
            let numbers = adapter.said.compactMap { Int($0) }
            #expect(Set(numbers).count == 60)
            try await worker.stop()
            try await gateway.stop()
        }
    }

    @Test func `the commands that a user may use come from a worker`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            let (worker, _) = try await robots.worker(
                InlineScript { $0.respond(/ping/, help: "ping - Answer") { try await $0.send("PONG") } })
            await adapter.hear("heybot ping")
            await adapter.hasSaid(1)
            #expect(await adapter.commands(of: "al") == ["ping"])
            try await worker.stop()
            try await gateway.stop()
        }
    }

    @Test func `the overview has gateways, workers, and what waits`() async throws {
        try await LinkedRobots.with { robots in
            let adapter = ChatAdapter()
            let gateway = try await robots.gateway(adapter)
            await adapter.hear("heybot say 1")
            try await robots.wait { try await robots.openMessages() == 1 }
            let before = try await LinkOverview.read(LinkedRobots.configuration(port: robots.server.port))
            #expect(before.workers.isEmpty)
            #expect(before.adapters.map(\.name) == ["chat"])
            #expect(before.adapters.first?.gateway?.hasPrefix("gateway-") == true)
            #expect(before.waiting.values.reduce(0, +) == 1)
            let (worker, _) = try await robots.worker(Self.saying)
            await adapter.hasSaid(1)
            let after = try await LinkOverview.read(LinkedRobots.configuration(port: robots.server.port))
            #expect(after.workers.map(\.partitions) == [32])
            try await worker.stop()
            try await gateway.stop()
            let end = try await LinkOverview.read(LinkedRobots.configuration(port: robots.server.port))
            #expect(end.workers.isEmpty)
            #expect(end.adapters.map(\.gateway) == [nil])
        }
    }
}
