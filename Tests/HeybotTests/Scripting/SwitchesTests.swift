import FoundationEssentials
import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct SwitchesTests {
    @Test func `an older read doesn't overwrite a change`() async throws {
        let (isSlow, hasRead, goOn) = (Signal(), Signal(), Signal())
        let store = HookedStore(onRead: {
            // The first of them that is to be slow.
            guard isSlow.isSet, !hasRead.isSet else { return }
            hasRead.set()
            await goOn.wait()
        })
        let robot = Robot(
            adapters: [ManualAdapter()], brain: Brain(store: store),
            scripts: [InlineScript("Thing") { $0.hear(/x/) { _ in } }])
        try await robot.brain.open()
        isSlow.set()
        async let loading: Void = robot.loadSwitchesAndRoles()
        await hasRead.wait()
        async let turning: Void = robot.turn("Thing", on: false)
        // It would be done by now, were it not to wait for its turn.
        for _ in 0..<20_000 where robot.switches.off.isEmpty { await Task.yield() }
        goOn.set()
        try await loading
        try await turning
        #expect(robot.switches.off == ["Thing"])
        try await robot.turn("Thing", on: true)
        #expect(robot.switches.off == [])
        await robot.brain.close()
    }

    @Test func `a script is switched off once for the same crashes, until it crashes again`() async throws {
        let robot = Robot(
            adapters: [ManualAdapter()], brain: Brain(store: MemoryStore()),
            scripts: [InlineScript("Thing") { $0.hear(/x/) { _ in } }])
        try await robot.openBrain()
        let dates = [10.0, 20].map { Date(timeIntervalSince1970: $0) }
        func crash(_ dates: [Date]) async throws -> [String] {
            try await Robot.switchOff(afterCrashes: ["Thing": dates], in: robot.brain)
        }
        #expect(try await crash(dates) == ["Thing"])
        try await robot.loadSwitchesAndRoles()
        #expect(robot.switches.off == ["Thing"] && robot.switches.crashes(of: "Thing") == dates)
        try await robot.turn("Thing", on: true)
        #expect(try await crash(dates) == [])
        try await robot.loadSwitchesAndRoles()
        #expect(robot.switches.off == [] && robot.switches.crashes(of: "Thing") == [])
        #expect(try await crash(dates + [Date(timeIntervalSince1970: 30)]) == ["Thing"])
        try await robot.loadSwitchesAndRoles()
        #expect(robot.switches.crashes(of: "Thing").count == 3)
        // By hand is another reason.
        try await robot.turn("Thing", on: false)
        #expect(robot.switches.off == ["Thing"] && robot.switches.crashes(of: "Thing") == [])
        await robot.brain.close()
    }

    @Test func `older stored data is read`() throws {
        let kept = #"{"off":["Thing"],"offInRoom":{"irc:#dev":["Other"]}}"#
        let switches = try JSONDecoder().decode(DisabledScripts.self, from: Data(kept.utf8))
        #expect(switches == DisabledScripts(off: ["Thing"], offInRoom: ["irc:#dev": ["Other"]]))
    }

    @Test func `an adapter recognizes the admins of accepted settings only`() throws {
        let adapter = RecognizingAdapter()
        let robot = Robot(
            adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [], admins: ["hand:ada", "hand:bob"])
        #expect(adapter.recognized == ["ada", "bob"])
        #expect(throws: RobotError.self) {
            try robot.replaceSettings(admins: ["hand:carol", "hand:"], switches: DisabledScripts())
        }
        #expect(adapter.recognized == ["ada", "bob"])
        try robot.replaceSettings(admins: ["hand:carol"], switches: DisabledScripts())
        #expect(adapter.recognized == ["carol"])
        try robot.replaceSettings(admins: [], switches: DisabledScripts())
        #expect(adapter.recognized == [])
    }

    @Test func `settings are replaced while it runs, all or nothing`() async throws {
        let robot = Robot(
            adapters: [ManualAdapter()], brain: Brain(store: MemoryStore()),
            scripts: [InlineScript("Thing") { $0.hear(/x/) { _ in } }, InlineScript("Other") { $0.hear(/y/) { _ in } }],
            admins: ["ada"], switches: DisabledScripts(off: ["Thing"]))
        try await robot.openBrain()
        try await robot.turn("Other", on: false)
        let name = robot.adapters[0].name
        func user(_ id: String) -> User { User(id: User.ID(adapter: name, value: id), name: id) }
        #expect(throws: RobotError.self) {
            try robot.replaceSettings(admins: ["bob"], switches: DisabledScripts(off: ["Nada"]))
        }
        #expect(robot.isAdmin(user("ada")) && !robot.isAdmin(user("bob")))
        #expect(robot.switches.off == ["Thing", "Other"])
        try robot.replaceSettings(admins: ["bob"], switches: DisabledScripts())
        #expect(!robot.isAdmin(user("ada")) && robot.isAdmin(user("bob")))
        // A script disabled from chat stays disabled; one that the settings disabled before can be enabled now.
        #expect(robot.switches.off == ["Other"])
        try await robot.turn("Thing", on: true)
        await robot.brain.close()
    }
}

/// An adapter that records the users it recognizes.
private final class RecognizingAdapter: ConfiguredUserRecognition {
    private struct NoName: Error {}

    let name = "hand"
    private let names = Mutex<[String]>([])

    var recognized: [String] { names.withLock { $0 } }
    var status: AdapterStatus { .up(since: .distantPast) }

    func userID(named name: String) throws -> String {
        if name.isEmpty { throw NoName() }
        return name
    }

    func recognize(_ names: [String]) { self.names.withLock { $0 = names } }
    func run(_ inbox: Inbox) async throws {}
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}
