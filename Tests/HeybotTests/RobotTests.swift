import Foundation
import Heybot
import HeybotTesting
import Metrics
import MetricsTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct RobotTests {
    private let brain = Brain(store: MemoryStore())

    @Test func `all configuration errors are reported at once`() async {
        let robot = Robot(
            name: " ", adapters: [ManualAdapter("a:b"), ManualAdapter("x"), ManualAdapter("x")], brain: brain,
            scripts: [
                InlineScript("Twin") { $0.hear(/a/, id: "same") { _ in } },
                InlineScript("Twin") { $0.hear(/a/, id: "same") { _ in } }
            ], switches: DisabledScripts(off: ["Gone"]))
        await #expect(
            throws: RobotError.misconfigured([
                "the robot's name is empty",
                "invalid adapter name \"a:b\": it must not be empty or contain a colon",
                "two adapters are named x: adapter names must be unique",
                "two scripts are named Twin: script names must be unique",
                "two listeners have the id same: listener ids must be unique",
                "can't disable the script Gone: there is no such script; available: Twin, Twin"
            ])
        ) { try await robot.run() }
    }

    @Test func `a robot without an adapter reports that`() async {
        let robot = Robot(adapters: [], brain: brain, scripts: [])
        await #expect(
            throws: RobotError.misconfigured([
                "the robot has no adapter: add at least one"
            ])
        ) { try await robot.run() }
    }

    @Test func `it ends when its adapters have ended and all messages are handled`() async throws {
        let adapter = ManualAdapter()
        let release = Signal()
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                InlineScript {
                    $0.hear(/a/) { res in
                        await release.wait()
                        try await res.send("answer")
                    }
                }
            ])
        async let running: Void = robot.run()
        await adapter.receive("a")
        adapter.end()
        release.set()
        try await running
        #expect(adapter.texts == ["answer"])
    }

    @Test func `an adapter that fails doesn't end the robot, unless it is the last`() async throws {
        let adapter = ManualAdapter()
        let log = TestLog()
        try await withRobot(
            adapters: [FailingAdapter(name: "bad"), adapter], logger: log.logger,
            InlineScript { $0.hear(/a/) { try await $0.send("well") } }
        ) { _ in await adapter.handle("a") }
        #expect(adapter.texts == ["well"])
        #expect(log.lines(from: .error).contains("the adapter bad failed: no network"))

        let robot = Robot(adapters: [FailingAdapter(name: "bad")], brain: brain, scripts: [], logger: log.logger)
        await #expect(throws: FailingAdapter.Trouble.self) { try await robot.run() }
    }

    @Test func `stopping gives running closures the grace period`() async throws {
        let adapter = ManualAdapter()
        let (began, cancelled) = (Signal(), StringRecorder())
        try await withRobot(
            adapters: [adapter],
            InlineScript {
                $0.hear(/hang/) { _ in
                    began.set()
                    do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.add("cancelled") }
                }
            }
        ) { _ in
            await adapter.receive("hang")
            await began.wait()
        }
        #expect(cancelled.all == ["cancelled"])
    }

    @Test func `cancelling gives the same grace period`() async throws {
        let adapter = ManualAdapter()
        let (began, release) = (Signal(), Signal())
        var limits = Robot.Limits()
        // The machine may be busy with other tests.
        (limits.shutdownGracePeriod, limits.deadline) = (.seconds(600), .seconds(1_800))
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                InlineScript {
                    $0.hear(/a/) { res in
                        began.set()
                        await release.wait()
                        try await res.send("done")
                    }
                }
            ], limits: limits)
        let running = Task { try await robot.run() }
        await adapter.receive("a")
        await began.wait()
        running.cancel()
        for _ in 0..<20 { await Task.yield() }
        release.set()
        try await running.value
        #expect(adapter.texts == ["done"])
    }

    @Test func `what adapters have received when the robot is stopped is handled`() async throws {
        let adapter = ManualAdapter()
        var limits = Robot.Limits()
        (limits.shutdownGracePeriod, limits.deadline, limits.concurrency) = (.seconds(600), .seconds(1_800), 1)
        let (began, release) = (Signal(), Signal())
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                InlineScript {
                    $0.hear(/first/) { res in
                        began.set()
                        await release.wait()
                    }
                    $0.hear(/.*/) { try await $0.send($0.message.text ?? "") }
                }
            ], limits: limits)
        async let running: Void = robot.run()
        await adapter.receive("first")
        await began.wait()
        await adapter.receive("waiting")
        // A network's adapter is reading when the robot is stopped.
        await adapter.receive { isStopping in
            #expect(!isStopping)
            robot.stop()
            return [adapter.message("read")]
        }
        await adapter.receive { isStopping in
            #expect(isStopping)
            return [adapter.message("late")]
        }
        await adapter.receive("later")
        release.set()
        try await running
        #expect(adapter.texts == ["first", "waiting", "read"])
    }

    @Test func `a command that is run by another one is handled even if the robot is stopped meanwhile`() async throws {
        let adapter = ManualAdapter()
        var limits = Robot.Limits()
        (limits.shutdownGracePeriod, limits.deadline) = (.seconds(600), .seconds(1_800))
        let (began, release) = (Signal(), Signal())
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                InlineScript {
                    $0.hear(/alias/) { res in
                        began.set()
                        await release.wait()
                        await res.run("launch")
                    }
                    $0.respond(/launch/) { try await $0.send("launched") }
                }
            ], limits: limits)
        async let running: Void = robot.run()
        await adapter.receive("alias")
        await began.wait()
        robot.stop()
        release.set()
        try await running
        #expect(adapter.texts == ["launched"])
    }

    @Test func `an admin's id belongs to one network`() async throws {
        let (one, other) = (ManualAdapter("one"), ManualAdapter("other"))
        let scripts: [any Script] = [InlineScript { $0.respond(/a/, allow: .admins) { try await $0.send("yes") } }]
        let vague = Robot(adapters: [one, other], brain: brain, scripts: scripts, admins: ["alice", "one:bob"])
        await #expect(
            throws: RobotError.misconfigured([
                "the admin alice is invalid: the adapter is ambiguous; put the adapter's name first, as in one:alice"
            ])
        ) { try await vague.run() }
        let robot = Robot(adapters: [one, other], brain: brain, scripts: scripts, admins: ["one:alice"])
        async let running: Void = robot.run()
        await one.handle("heybot a")
        await other.handle("heybot a")
        robot.stop()
        try await running
        #expect(one.texts == ["yes"])
        #expect(other.texts == ["Only my admins may use that."])
    }

    @Test func `it stops even if a script spins and an adapter waits for it`() async throws {
        let (began, release) = (Signal(), Signal())
        let cancelled = StringRecorder()
        let log = TestLog()
        try await withRobot(
            adapters: [OneMessageAdapter(cancelled: cancelled)], logger: log.logger,
            InlineScript {
                $0.hear(/spin/) { _ in
                    began.set()
                    release.spin()
                }
            }
        ) { _ in await began.wait() }
        #expect(cancelled.all == ["went on"])
        #expect(log.lines(from: .warning).contains("canceling 1 listener that is still running"))
        release.set()
    }

    @Test func `it doesn't start if the brain can't be opened`() async {
        let store = HookedStore(onOpen: { throw StoreError(.busy, "somebody else has it") })
        let robot = Robot(adapters: [ManualAdapter()], brain: Brain(store: store), scripts: [])
        await #expect(throws: StoreError(.busy, "somebody else has it")) { try await robot.run() }
    }

    @Test func `too many stalled threads end the process`() async throws {
        let (stop, gaveUp) = (Signal(), Signal())
        var limits = Robot.Limits()
        limits.threads = 1
        // Longer than a thread that doesn't spin waits for the processor.
        limits.stallThreshold = .milliseconds(500)
        limits.maxStalledThreads = 1
        limits.shutdownGracePeriod = .zero
        let adapter = ManualAdapter()
        let log = TestLog()
        let robot = Robot(
            name: "Heybot", alias: nil, adapters: [adapter], brain: brain,
            scripts: [InlineScript { $0.hear(/spin/) { _ in stop.spin() } }], admins: [], switches: DisabledScripts(),
            settings: [:], http: nil, server: nil, limits: limits, logger: log.logger, metrics: MetricsSystem.factory,
            timeSource: TimeSource(ContinuousClock(), date: { .now }), generator: SystemRandomNumberGenerator(),
            giveUp: { gaveUp.set() })
        async let running: Void = robot.run()
        await adapter.receive("spin", "one")
        await adapter.receive("spin", "two")
        await gaveUp.wait()
        stop.set()
        robot.stop()
        try await running
        #expect(!log.lines(from: .critical).isEmpty)
    }

    @Test func `each time when the script threads have become idle, an action is called`() async throws {
        var limits = Robot.Limits()
        limits.stallThreshold = .milliseconds(10)
        let adapter = ManualAdapter()
        let robot = Robot(
            adapters: [adapter], brain: brain, scripts: [InlineScript { $0.hear(/a/) { _ in } }], limits: limits,
            logger: TestLog().logger)
        let calls = Mutex<[Signal]>([])
        robot.onIdle { calls.withLock { if !$0.isEmpty { $0.removeFirst().set() } } }
        async let running: Void = robot.run()
        for _ in 1...2 {
            let idle = Signal()
            calls.withLock { $0.append(idle) }
            await adapter.handle("a")
            await idle.wait()
        }
        adapter.end()
        try await running
    }

    @Test func `the process then ends with exit code 75, after cleaning up`() async {
        let result = await #expect(processExitsWith: .exitCode(75), observing: [\.standardOutputContent]) {
            ExitHooks.add { _ = [UInt8]("put right".utf8).withUnsafeBytes { write(1, $0.baseAddress, $0.count) } }
            var limits = Robot.Limits()
            limits.threads = 1
            limits.stallThreshold = .milliseconds(10)
            limits.maxStalledThreads = 0
            let adapter = ManualAdapter()
            let robot = Robot(
                adapters: [adapter], brain: Brain(store: MemoryStore()),
                scripts: [InlineScript { $0.hear(/spin/) { _ in Signal().spin() } }], limits: limits)
            async let running: Void = robot.run()
            await adapter.handle("spin")
            try await running
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("put right"))
    }

    @Test func `errors are counted by script`() async throws {
        let metrics = TestMetrics()
        let adapter = ManualAdapter()
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [InlineScript("Bad") { $0.hear(/a/) { _ in throw FailingAdapter.Trouble() } }],
            logger: TestLog().logger,
            metrics: metrics)
        async let running: Void = robot.run()
        await adapter.handle("a")
        await adapter.handle("a")
        adapter.end()
        try await running
        #expect(try metrics.expectCounter("heybot_script_errors_total", [("script", "Bad")]).totalValue == 2)
    }
}

/// An adapter that receives "spin", and ends when that has been handled.
private struct OneMessageAdapter: Adapter {
    let cancelled: StringRecorder
    let name = "one"
    var status: AdapterStatus { .starting }

    func run(_ inbox: Inbox) async throws {
        await inbox.handle(ManualAdapter("one").message("spin"))
        if Task.isCancelled { cancelled.add("went on") }
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}

private struct FailingAdapter: Adapter {
    struct Trouble: Error, CustomStringConvertible { let description = "no network" }

    let name: String
    var status: AdapterStatus { .starting }

    func run(_ inbox: Inbox) async throws { throw Trouble() }
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}
