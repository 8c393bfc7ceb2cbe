import HeybotTesting
import Logging
import Metrics
import Testing

@testable import Heybot

/// The parts that a robot is made of, each by itself.
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

    // MARK: UserDirectory

    @Test func `roles are of the settings and of the brain, and nobody anonymous has one`() async throws {
        let users = UserDirectory(brain, owners: [root.id])
        #expect(users.isAdmin(root) && users.isOwner(root) && !users.isAdmin(ada))
        #expect(!users.isOwner(Self.user("root", isAnonymous: true)))
        #expect(try await users.set(role: "Admin", of: ada, to: true))
        #expect(users.isAdmin(ada) && !users.isOwner(ada))
        #expect(users.roles(of: Self.user("ada", isAnonymous: true)) == [])
        // Another robot with the same brain.
        let others = UserDirectory(brain, owners: [])
        #expect(!others.isAdmin(ada))
        try await others.load()
        #expect(others.isAdmin(ada) && !others.isAdmin(root))
        users.set(owners: [])
        #expect(!users.isAdmin(root))
    }

    @Test func `whoever the settings make an admin isn't ignored`() async throws {
        let users = UserDirectory(brain, owners: [root.id])
        #expect(try await users.ignore(ada, true))
        #expect(users.ignores(ada) && !users.ignores(root))
        await #expect(throws: Refusal.self) { try await users.ignore(root, true) }
        #expect(try await users.ignore(ada, false))
        #expect(!users.ignores(ada))
    }

    @Test func `those who were met last are known`() {
        let users = UserDirectory(brain, owners: [], most: 4)
        for name in ["a", "b", "c", "d", "a", "e"] { users.meet(Self.user(name)) }
        #expect(Set(users.metUsers.map(\.name)) == ["a", "d", "e"])
    }

    // MARK: ScriptToggles

    @Test func `what the settings switch off stays off, and the rest goes by what was said`() async throws {
        let toggles = ScriptToggles(brain, settings: ScriptSwitches(off: ["Pugs"]))
        let room = Room(id: Room.ID(adapter: "test", value: "#dev"))
        try await toggles.turn("Dice", on: false, in: "#dev")
        #expect(!toggles.value.isOn("Pugs", in: room) && !toggles.value.isOn("Dice", in: room))
        await #expect(throws: Refusal.self) { try await toggles.turn("Pugs", on: true, in: nil) }
        try await toggles.turn("Dice", on: true, in: "#dev")
        #expect(toggles.value.isOn("Dice", in: room))
        toggles.set(ScriptSwitches())
        #expect(toggles.value.isOn("Pugs", in: room))
    }

    // MARK: ScriptRunner

    @Test func `script code ends, fails, or is cancelled at its deadline`() async throws {
        struct Failure: Error {}
        let clock = ManualClock()
        let timers = Timers(Timeline(clock, date: { .now }))
        let log = TestLog()
        var limits = Robot.Limits()
        limits.deadline = .seconds(5)
        let runner = ScriptRunner(
            limits, timers: timers, timeline: Timeline(clock, date: { .now }), activity: Activity(),
            counters: Counters(adapters: [], scripts: ["Test"], factory: NOOPMetricsHandler.instance),
            logger: log.logger, giveUp: { Issue.record("it gave up") })
        let part = ScriptPart(script: "Test", part: "handler")
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
        let began = Notes()
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
}
