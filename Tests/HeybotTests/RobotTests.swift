import Foundation
import Heybot
import HeybotTesting
import Metrics
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct RobotTests {
    private let brain = Brain(store: MemoryStore())

    @Test func `everything wrong with its parts is said at once`() async {
        let robot = Robot(
            name: " ", adapters: [HandAdapter("a:b"), HandAdapter("x"), HandAdapter("x")], brain: brain,
            scripts: [
                Inline("Twin") { $0.hear(/a/, id: "same") { _ in } },
                Inline("Twin") { $0.hear(/a/, id: "same") { _ in } }
            ], switches: ScriptSwitches(off: ["Gone"]))
        await #expect(
            throws: RobotError.misconfigured([
                "the robot has no name: give it one",
                "\"a:b\" can't be an adapter's name: it must not be empty or hold a colon",
                "two adapters are named x: name each its own", "two scripts are named Twin: give one another name",
                "two listeners have the id same: give one another id",
                "there is no script Gone to switch off; there are Twin, Twin"
            ])
        ) { try await robot.run() }
    }

    @Test func `a robot without an adapter says so`() async {
        let robot = Robot(adapters: [], brain: brain, scripts: [])
        await #expect(
            throws: RobotError.misconfigured([
                "the robot has no adapter, so nobody could talk to it: give it one"
            ])
        ) { try await robot.run() }
    }

    @Test func `it ends when its adapters have ended and all is answered`() async throws {
        let adapter = HandAdapter()
        let release = Signal()
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                Inline {
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

    @Test func `an adapter that fails ends alone, and the robot only with the last`() async throws {
        let adapter = HandAdapter()
        let log = TestLog()
        try await withRobot(
            adapters: [FailingAdapter(name: "bad"), adapter], logger: log.logger,
            Inline { $0.hear(/a/) { try await $0.send("well") } }
        ) { _ in await adapter.handle("a") }
        #expect(adapter.texts == ["well"])
        #expect(log.lines(from: .error).contains("the adapter bad has ended: no network"))

        let robot = Robot(adapters: [FailingAdapter(name: "bad")], brain: brain, scripts: [], logger: log.logger)
        await #expect(throws: FailingAdapter.Trouble.self) { try await robot.run() }
    }

    @Test func `stopping gives running closures their time, and then no more`() async throws {
        let adapter = HandAdapter()
        let (began, cancelled) = (Signal(), Notes())
        try await withRobot(
            adapters: [adapter],
            Inline {
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

    @Test func `cancelled instead of stopped, it gives the same time`() async throws {
        let adapter = HandAdapter()
        let (began, release) = (Signal(), Signal())
        var limits = Robot.Limits()
        // The machine may be busy with other tests.
        limits.grace = .seconds(60)
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [
                Inline {
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
        for _ in 0..<100 { await Task.yield() }
        release.set()
        try await running.value
        #expect(adapter.texts == ["done"])
    }

    @Test func `an admin's id is somebody's on one network only`() async throws {
        let (one, other) = (HandAdapter("one"), HandAdapter("other"))
        let scripts: [any Script] = [Inline { $0.hear(/a/, allow: .admins) { try await $0.send("yes") } }]
        let vague = Robot(adapters: [one, other], brain: brain, scripts: scripts, admins: ["alice", "one:bob"])
        await #expect(
            throws: RobotError.misconfigured([
                "the admin alice can't be right: it could be on any adapter; say which, as one:alice"
            ])
        ) { try await vague.run() }
        let robot = Robot(adapters: [one, other], brain: brain, scripts: scripts, admins: ["one:alice"])
        async let running: Void = robot.run()
        await one.handle("a")
        await other.handle("a")
        robot.stop()
        try await running
        #expect(one.texts == ["yes"])
        #expect(other.texts == ["Only my admins may use that."])
    }

    @Test func `it stops though a script spins, and an adapter waits for that`() async throws {
        let (began, release) = (Signal(), Signal())
        let cancelled = Notes()
        let log = TestLog()
        try await withRobot(
            adapters: [OneMessageAdapter(cancelled: cancelled)], logger: log.logger,
            Inline {
                $0.hear(/spin/) { _ in
                    began.set()
                    release.spin()
                }
            }
        ) { _ in await began.wait() }
        #expect(cancelled.all == ["went on"])
        #expect(log.lines(from: .warning).contains("stopping 1 closure still running"))
        release.set()
    }

    @Test func `a brain that can't be opened keeps it from starting`() async {
        let store = HookedStore(onOpen: { throw StoreError(.busy, "somebody else has it") })
        let robot = Robot(adapters: [HandAdapter()], brain: Brain(store: store), scripts: [])
        await #expect(throws: StoreError(.busy, "somebody else has it")) { try await robot.run() }
    }

    @Test func `too many stuck threads end the process`() async throws {
        let (stop, gaveUp) = (Signal(), Signal())
        var limits = Robot.Limits()
        limits.threads = 1
        limits.patience = .milliseconds(10)
        limits.stuckThreads = 1
        limits.grace = .zero
        let adapter = HandAdapter()
        let log = TestLog()
        let robot = Robot(
            name: "Heybot", alias: nil, adapters: [adapter], brain: brain,
            scripts: [Inline { $0.hear(/spin/) { _ in stop.spin() } }], admins: [], switches: ScriptSwitches(),
            settings: [:], http: nil, server: nil, limits: limits, logger: log.logger, metrics: MetricsSystem.factory,
            timeline: Timeline(ContinuousClock(), date: { .now }), generator: SystemRandomNumberGenerator(),
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

    @Test func `the process then ends with status 75, after what had to be put right`() async {
        let result = await #expect(processExitsWith: .exitCode(75), observing: [\.standardOutputContent]) {
            LastMoment.add { _ = [UInt8]("put right".utf8).withUnsafeBytes { write(1, $0.baseAddress, $0.count) } }
            var limits = Robot.Limits()
            limits.threads = 1
            limits.patience = .milliseconds(10)
            limits.stuckThreads = 0
            let adapter = HandAdapter()
            let robot = Robot(
                adapters: [adapter], brain: Brain(store: MemoryStore()),
                scripts: [Inline { $0.hear(/spin/) { _ in Signal().spin() } }], limits: limits)
            async let running: Void = robot.run()
            await adapter.handle("spin")
            try await running
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("put right"))
    }

    @Test func `errors are counted by script`() async throws {
        let metrics = TestMetrics()
        let adapter = HandAdapter()
        let robot = Robot(
            adapters: [adapter], brain: brain,
            scripts: [Inline("Bad") { $0.hear(/a/) { _ in throw FailingAdapter.Trouble() } }], logger: TestLog().logger,
            metrics: metrics)
        async let running: Void = robot.run()
        await adapter.handle("a")
        await adapter.handle("a")
        adapter.end()
        try await running
        #expect(try metrics.expectCounter("heybot_script_errors_total", [("script", "Bad")]).totalValue == 2)
    }
}

/// Hears "spin", and ends when that has been dealt with.
private struct OneMessageAdapter: Adapter {
    let cancelled: Notes
    let name = "one"
    var status: AdapterStatus { .starting }

    func run(_ inbox: Inbox) async throws {
        await inbox.handle(HandAdapter("one").message("spin"))
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
