import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProgramAdapterTests {
    @Test func `a program talks with its robot`() async throws {
        let adapter = ProgramAdapter()
        let robot = Robot(name: "Marvin", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [Dice()])
        async let running: Void = robot.run()
        adapter.say("marvin roll 99d6", as: "ada")
        var answers = adapter.answers.makeAsyncIterator()
        #expect(await answers.next() == "ada: I have 20 dice, with 2 to 100 sides.")
        adapter.close()
        try await running
    }
}
