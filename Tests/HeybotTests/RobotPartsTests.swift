import HeybotTesting
import Logging
import Metrics
import Testing

@testable import Heybot

/// The parts of a robot, each in isolation.
@Suite(.timeLimit(.minutes(15))) struct RobotPartsTests {
    private let brain: Brain

    init() async throws {
        let store = MemoryStore()
        try await store.open()
        brain = Brain(store: store)
    }

    private static func user(_ name: String, isAnonymous: Bool = false) -> User {
        User(id: User.ID(adapter: "test", value: name), name: name, isAnonymous: isAnonymous)
    }

    private let ada = user("ada")
    private let root = user("root")

    // MARK: UserPermissions

    @Test func `roles come from the settings and the brain, and anonymous users have none`() async throws {
        let users = UserPermissions(brain, owners: [root.id])
        #expect(users.isAdmin(root) && users.isOwner(root) && !users.isAdmin(ada))
        #expect(!users.isOwner(Self.user("root", isAnonymous: true)))
        #expect(try await users.set(role: "Admin", of: ada, to: true))
        #expect(users.isAdmin(ada) && !users.isOwner(ada))
        #expect(users.roles(of: Self.user("ada", isAnonymous: true)) == [])
        // Another robot with the same brain.
        let others = UserPermissions(brain, owners: [])
        #expect(!others.isAdmin(ada))
        try await others.load()
        #expect(others.isAdmin(ada) && !others.isAdmin(root))
        users.set(owners: [])
        #expect(!users.isAdmin(root))
    }

    @Test func `an admin of the settings can't be ignored`() async throws {
        let users = UserPermissions(brain, owners: [root.id])
        #expect(try await users.ignore(ada, true))
        #expect(users.ignores(ada) && !users.ignores(root))
        await #expect(throws: Refusal.self) { try await users.ignore(root, true) }
        #expect(try await users.ignore(ada, false))
        #expect(!users.ignores(ada))
    }

    @Test func `the most recent users are known`() {
        let recent = RecentUsers(most: 4)
        for name in ["a", "b", "c", "d", "a", "e"] { recent.record(Self.user(name)) }
        #expect(Set(recent.all.map(\.name)) == ["a", "d", "e"])
    }

    // MARK: ScriptToggles

    @Test func `scripts disabled by the settings stay disabled, others can be changed from chat`() async throws {
        let toggles = ScriptToggles(brain, settings: DisabledScripts(off: ["Pugs"]))
        let room = Room(id: Room.ID(adapter: "test", value: "#dev"))
        try await toggles.turn("Dice", on: false, in: "#dev")
        #expect(!toggles.value.isOn("Pugs", in: room) && !toggles.value.isOn("Dice", in: room))
        await #expect(throws: Refusal.self) { try await toggles.turn("Pugs", on: true, in: nil) }
        try await toggles.turn("Dice", on: true, in: "#dev")
        #expect(toggles.value.isOn("Dice", in: room))
        toggles.set(DisabledScripts())
        #expect(toggles.value.isOn("Pugs", in: room))
    }

    // MARK: ScriptRunner

    @Test func `script code ends, fails, or is cancelled at its deadline`() async throws {
        struct Failure: Error {}
        let clock = ManualClock()
        let timers = TimerQueue(TimeSource(clock, date: { .now }))
        let log = TestLog()
        var limits = Robot.Limits()
        limits.deadline = .seconds(5)
        let runner = ScriptRunner(
            limits, timers: timers, timeSource: TimeSource(clock, date: { .now }), inFlight: InFlightCounter(),
            metrics: RobotMetrics(adapters: [], scripts: ["Test"], factory: NOOPMetricsHandler.instance),
            logger: log.logger, giveUp: { Issue.record("it gave up") })
        let part = RunningScriptPart(script: "Test", part: "handler")
        func outcome(_ body: @escaping @Sendable () async throws -> Void) async -> String {
            switch await runner.invoke(part, body) {
            case .ended: "ended"
            case .failed(let error): "failed: \(type(of: error))"
            case .expired: "expired"
            case .cancelled: "cancelled"
            case .paused: "paused"
            }
        }
        #expect(await outcome {} == "ended")
        #expect(await outcome { throw Failure() } == "failed: Failure")
        let began = StringRecorder()
        async let slow = outcome {
            began.add("began")
            try await Task.sleep(for: .seconds(1_000))
        }
        while began.all.isEmpty { await Task.yield() }
        clock.advance(by: .seconds(5))
        timers.fire()
        #expect(await slow == "expired")
        #expect(runner.close() == 0)
        #expect(await outcome {} == "cancelled")
    }

    @Test func `each run ends at its own deadline, and one timer serves them all`() async {
        let clock = ManualClock()
        let timeSource = TimeSource(clock, date: { .now })
        let timers = TimerQueue(timeSource)
        let (began, expired) = (StringRecorder(), StringRecorder())
        let runner = ScriptRunner(
            Robot.Limits(), timers: timers, timeSource: timeSource, inFlight: InFlightCounter(),
            metrics: RobotMetrics(adapters: [], scripts: ["Test"], factory: NOOPMetricsHandler.instance),
            logger: TestLog().logger, giveUp: { Issue.record("it gave up") })
        let part = RunningScriptPart(script: "Test", part: "handler")
        func run(_ name: String, _ deadline: Duration) async {
            let outcome = await runner.invoke(part, deadline: deadline) {
                began.add(name)
                try await Task.sleep(for: .seconds(1_000))
            }
            if case .expired = outcome { expired.add(name) }
        }
        async let long: Void = run("long", .seconds(9))
        while began.all.count < 1 { await Task.yield() }
        async let short: Void = run("short", .seconds(2))
        while began.all.count < 2 { await Task.yield() }
        // Runs that end leave no timers.
        for _ in 0..<100 { _ = await runner.invoke(part, deadline: .seconds(5)) {} }
        #expect(timers.nextDue == .seconds(2))
        clock.advance(by: .seconds(2))
        timers.fire()
        await short
        #expect(expired.all == ["short"])
        #expect(timers.nextDue == .seconds(9))
        clock.advance(by: .seconds(7))
        timers.fire()
        await long
        #expect(expired.all == ["short", "long"])
        #expect(timers.nextDue == nil)
    }
}
