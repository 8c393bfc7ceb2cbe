import HeybotTesting
import Logging
import Metrics
import Testing

@testable import Heybot

/// What becomes of messages that wait when the robot is stopped.
@Suite(.timeLimit(.minutes(15))) struct StoppingTests {
    private let adapter = ManualAdapter()
    private let clock = ManualClock()
    private let log = TestLog()
    private let began = Signal()
    private let release = Signal()

    private func robot(gracePeriod: Duration) -> Robot {
        let (began, release) = (began, release)
        var limits = Robot.Limits()
        limits.shutdownGracePeriod = gracePeriod
        limits.waitingPerPerson = 2
        // The manual clock runs ahead of a busy machine.
        (limits.deadline, limits.stallThreshold) = (.seconds(1_000_000), .seconds(1_000_000))
        return Robot(
            name: "Heybot", alias: nil, adapters: [adapter], brain: Brain(store: MemoryStore()),
            scripts: [
                InlineScript {
                    $0.hear(/hang/) { _ in
                        began.set()
                        await release.wait()
                    }
                    $0.hear(/ping/) { res in
                        res.after(.seconds(1)) { try await res.send("late") }
                        try await res.send("PONG")
                    }
                }
            ], admins: [], switches: DisabledScripts(), settings: [:], http: nil, server: nil, limits: limits,
            logger: log.logger, metrics: NOOPMetricsHandler.instance, timeSource: TimeSource(clock, date: { .now }),
            generator: SeededGenerator(seed: 0), giveUp: {})
    }

    /// Lets two messages, as many as can wait, come in behind one whose closure waits.
    private func fill(_ robot: Robot) async {
        await adapter.receive("hang")
        await began.wait()
        for _ in 0..<2 { await adapter.receive("ping") }
        while robot.dispatcher.scheduler.waiting < 2 { await Task.yield() }
    }

    @Test func `messages behind one that waits for something are handled in the grace period`() async throws {
        let gracePeriod = Duration.seconds(100_000)
        let robot = robot(gracePeriod: gracePeriod)
        let running = Task { try await robot.run() }
        await fill(robot)
        robot.stop()
        try await clock.waitForSleeper { $0 == gracePeriod }
        while adapter.texts.count < 2, clock.now.offset < gracePeriod {
            clock.advance(by: .milliseconds(100))
            robot.timers.fire()
            await Task.yield()
        }
        #expect(adapter.texts == ["PONG", "PONG"])
        // Nothing begins that scripts do later.
        for _ in 0..<20 {
            clock.advance(by: .milliseconds(100))
            robot.timers.fire()
            await Task.yield()
        }
        release.set()
        try await running.value
        #expect(adapter.texts == ["PONG", "PONG"])
        #expect(!log.lines().contains { $0.contains("unhandled") })
    }

    @Test func `a message that finds no space while the robot stops waits for it`() async throws {
        let gracePeriod = Duration.seconds(100_000)
        let robot = robot(gracePeriod: gracePeriod)
        let running = Task { try await robot.run() }
        await fill(robot)
        await adapter.receive { _ in
            robot.stop()
            return [adapter.message("ping")]
        }
        while robot.queue.count > 0 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        release.set()
        try await running.value
        #expect(adapter.texts == ["PONG", "PONG", "PONG"])
    }

    @Test func `messages that still wait after the grace period are counted in the log`() async throws {
        let robot = robot(gracePeriod: .zero)
        let running = Task { try await robot.run() }
        await fill(robot)
        robot.stop()
        while !log.lines(from: .warning).contains("shutting down with 2 unhandled messages") { await Task.yield() }
        release.set()
        let moving = Task {
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        try await running.value
        moving.cancel()
        #expect(adapter.texts == [])
    }
}
