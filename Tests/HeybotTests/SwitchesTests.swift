import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(1))) struct SwitchesTests {
    @Test func `what was read before a switch doesn't undo it`() async throws {
        let (isSlow, hasRead, goOn) = (Signal(), Signal(), Signal())
        let store = HookedStore(onRead: {
            // The first of them that is to be slow.
            guard isSlow.isSet, !hasRead.isSet else { return }
            hasRead.set()
            await goOn.wait()
        })
        let robot = Robot(
            adapters: [HandAdapter()], brain: Brain(store: store), scripts: [Inline("Thing") { $0.hear(/x/) { _ in } }])
        try await robot.brain.open()
        isSlow.set()
        async let loading: Void = robot.loadKept()
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
}
