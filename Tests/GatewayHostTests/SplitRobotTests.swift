import GatewayHost
import Heybot
import HeybotTesting
import Logging
import Synchronization
import TestServers
import Testing

/// A robot that consists of a gateway and workers, connected by sockets.
@Suite(.timeLimit(.minutes(10))) struct SplitRobotTests {
    @Test func `a command is answered through the gateway`() async throws {
        try await withSplitRobot(
            InlineScript { $0.respond(/ping (?<word>\w+)/) { try await $0.send("PONG \($0.match.word)") } }
        ) { adapter, _, _ in
            await adapter.hear("heybot ping one")
            await adapter.hear("nothing")
            await adapter.hear("heybot ping two")
            await adapter.hasSaid(2)
            #expect(adapter.said == ["PONG one", "PONG two"])
        }
    }

    @Test func `what a closure sends arrives in order`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/count/) { res in
                    for number in 1...20 { try await res.send("\(number)") }
                    try await res.send("done")
                }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot count")
            await adapter.hasSaid(21)
            let numbers: [String] = (1...20).map { "\($0)" }
            #expect(adapter.said == numbers + ["done"])
        }
    }

    @Test func `an adapter's error reaches the closure as it was thrown`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/topic/) { res in
                    do {
                        try await res.topic("news")
                    } catch let error as AdapterError {
                        try await res.send("\(error.code): \(error)")
                    }
                }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot topic")
            await adapter.hasSaid(1)
            #expect(adapter.said == ["notAllowed: nobody may set the topic"])
        }
    }

    @Test func `a question is answered, also if the worker is replaced meanwhile`() async throws {
        try await withSplitRobot(
            InlineScript { $0.respond(/order/) { res in try await res.send("a " + res.ask("What?")) } }
        ) { adapter, driver, launcher in
            await adapter.hear("heybot order")
            await adapter.hasSaid(1)
            driver.swap()
            while launcher.starts < 2 { await Task.yield() }
            await adapter.hear("heybot order", by: "bo", in: "#b")
            await adapter.hasSaid(2)
            await adapter.hear("tea")
            await adapter.hasSaid(3)
            #expect(adapter.said == ["What?", "What?", "a tea"])
        }
    }

    @Test func `each command is answered once while workers are replaced`() async throws {
        try await withSplitRobot(
            InlineScript { $0.respond(/say (?<number>\d+)/) { try await $0.send("\($0.match.number)") } }
        ) { adapter, driver, launcher in
            for number in 1...200 {
                await adapter.hear("heybot say \(number)", by: "u\(number % 7)", in: "#\(number % 5)")
                if number % 20 == 0 { driver.swap() }
            }
            await adapter.hasSaid(200)
            let numbers: [String] = (1...200).map { "\($0)" }
            #expect(Set(adapter.said) == Set(numbers))
            #expect(adapter.said.count == 200)
            while launcher.starts < 2 { await Task.yield() }
        }
    }

    @Test func `what a crashed worker has not finished is done by the next one, and not said twice`() async throws {
        let runs = Atomic(0)
        let (began, blocked) = (OneTime(), OneTime())
        try await withSplitRobot(
            InlineScript {
                $0.respond(/work/) { res in
                    try await res.send("begun")
                    if runs.add(1, ordering: .relaxed).newValue == 1 {
                        began.happen()
                        await blocked.wait()
                    }
                    try await res.send("finished")
                }
            }
        ) { adapter, _, launcher in
            await adapter.hear("heybot work")
            await began.wait()
            launcher.crash()
            await adapter.hasSaid(2)
            blocked.happen()
            // What the crashed worker would still say comes before the answers to another command.
            await adapter.hear("heybot work")
            await adapter.hasSaid(4)
            #expect(adapter.said == ["begun", "finished", "begun", "finished"])
        }
    }

    @Test func `a text that is too long for the connection costs only its command`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/shout/) { res in
                    do {
                        try await res.send(String(repeating: "a", count: 5 << 20))
                    } catch let error as AdapterError {
                        try await res.send("\(error.code)")
                    }
                }
            }
        ) { adapter, _, launcher in
            await adapter.hear(String(repeating: "a", count: 5 << 20))
            await adapter.hear("heybot shout")
            await adapter.hasSaid(1)
            #expect(adapter.said == ["tooLong"])
            #expect(launcher.starts == 1)
        }
    }

    @Test func `users see that the robot begins and ends to write in this order`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/write/) { res in
                    let adapter = res.robot.adapters.first as? any MessageChanging
                    for number in 1...200 {
                        adapter?.showTyping(number % 2 == 1, in: Envelope(room: res.message.room))
                    }
                    try await res.send("done")
                }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot write")
            await adapter.hasSaid(1)
            let expected = (1...200).map { $0 % 2 == 1 }
            #expect(adapter.typing == expected)
        }
    }

    @Test func `a worker learns at once that a connection is lost`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/watch/) { res in
                    try await res.send("watching")
                    while case .up = res.robot.adapters[0].status { try await Task.sleep(for: .milliseconds(1)) }
                    try await res.send("down")
                }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot watch")
            await adapter.hasSaid(1)
            adapter.disconnect()
            await adapter.hasSaid(2)
            #expect(adapter.said == ["watching", "down"])
        }
    }

    @Test func `a worker learns how many messages an adapter has queued, and when they were sent`() async throws {
        try await withSplitRobot(
            InlineScript { $0.respond(/ping/) { try await $0.send("PONG") } }
        ) { adapter, _, launcher in
            adapter.queue(3)
            await adapter.hear("heybot ping")
            await adapter.hasSaid(1)
            while launcher.worker?.queuedMessages(of: "chat") != 3 { await Task.yield() }
            adapter.flush()
            while launcher.worker?.queuedMessages(of: "chat") != 0 { await Task.yield() }
        }
    }

    @Test func `an adapter knows the commands that a user may use`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.respond(/ping/, help: "ping - Answer") { try await $0.send("PONG") }
                $0.respond(/die/, help: "die - Stop", allow: .admins) { try await $0.send("no") }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot ping")
            await adapter.hasSaid(1)
            #expect(await adapter.commands(of: "al") == ["ping"])
        }
    }

    @Test func `an adapter knows what an observer's code says`() async throws {
        try await withSplitRobot(
            InlineScript {
                $0.observe { message, robot in
                    guard message.text != nil else { return nil }
                    return { try await robot.messageRoom(message.room.id, "seen") }
                }
                $0.respond(/ping/) { try await $0.send("PONG") }
            }
        ) { adapter, _, _ in
            await adapter.hear("heybot ping")
            await adapter.hasSaid(2)
            #expect(Set(adapter.said) == ["PONG", "seen"])
            #expect(adapter.observations == ["seen"])
        }
    }

    @Test func `a gateway knows its worker's health, and a worker its gateway's metrics`() async throws {
        try await withSplitRobot(InlineScript { $0.respond(/ping/) { try await $0.send("PONG") } }) {
            adapter, driver, launcher in
            await adapter.hear("heybot ping")
            await adapter.hasSaid(1)
            let report = await driver.report(within: .seconds(600))
            #expect(report?.health.isGood == true)
            #expect(report?.health.adapters["chat"]?.hasPrefix("up since") == true)
            #expect(await launcher.worker?.gatewayMetrics() == "up 1\n")
            #expect(driver.startedWorkers == 1)
        }
    }

    @Test func `what runs without a message is finished before a worker is replaced`() async throws {
        let (began, blocked) = (OneTime(), OneTime())
        try await withSplitRobot(
            InlineScript {
                $0.respond(/later/) { res in
                    res.after(.zero) {
                        began.happen()
                        await blocked.wait()
                        try await res.send("late")
                    }
                }
                $0.respond(/who/) { try await $0.send("\(ObjectIdentifier($0.robot))") }
            }
        ) { adapter, driver, _ in
            await adapter.hear("heybot who")
            await adapter.hasSaid(1)
            await adapter.hear("heybot later")
            await began.wait()
            driver.swap()
            // Until the next worker answers.
            while Set(adapter.said).count == 1 {
                let count = adapter.said.count
                await adapter.hear("heybot who")
                await adapter.hasSaid(count + 1)
            }
            blocked.happen()
            while !adapter.said.contains("late") { await Task.yield() }
        }
    }

    @Test func `what runs without a message can still send while the robot stops`() async throws {
        let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
        let began = OneTime()
        let script = InlineScript {
            $0.respond(/later/) { res in
                res.after(.zero) {
                    began.happen()
                    await res.robot.waitUntilStopping()
                    try await res.send("bye")
                }
            }
        }
        let adapter = ChatAdapter()
        let driver = GatewayDriver(LocalLauncher([script], for: [ChatAdapter()]), logger: logger)
        let robot = Robot(
            name: "Heybot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [driver.script],
            logger: logger)
        async let running: Void = robot.run()
        await adapter.hear("heybot later")
        await began.wait()
        robot.stop()
        try await running
        #expect(adapter.said == ["bye"])
    }

    @Test func `a script can stop the whole robot`() async throws {
        let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
        let script = InlineScript { $0.respond(/die/) { $0.robot.stop() } }
        let (adapter, launcher) = (ChatAdapter(), LocalLauncher([script], for: [ChatAdapter()]))
        let driver = GatewayDriver(launcher, logger: logger)
        let robot = Robot(
            name: "Heybot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [driver.script],
            logger: logger)
        async let running: Void = robot.run()
        await adapter.hear("heybot die")
        try await running
        #expect(launcher.starts == 1)
    }

    @Test func `a robot can be stopped while its first worker starts`() async throws {
        let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
        let launcher = StuckLauncher()
        let driver = GatewayDriver(launcher, logger: logger)
        let robot = Robot(
            name: "Heybot", adapters: [ChatAdapter()], brain: Brain(store: MemoryStore()), scripts: [driver.script],
            logger: logger)
        async let running: Void = robot.run()
        while !launcher.hasStarted { await Task.yield() }
        robot.stop()
        try await running
    }
}

/// Something that happens once, for which a test waits.
private final class OneTime: Sendable {
    private let hasHappened = Atomic(false)

    func happen() { hasHappened.store(true, ordering: .releasing) }

    func wait() async {
        while !hasHappened.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
