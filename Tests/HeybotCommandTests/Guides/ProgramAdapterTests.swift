import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct ProgramAdapterTests {
    @Test func `a program chats with its robot`() async throws {
        let adapter = ProgramAdapter()
        let robot = Robot(name: "Marvin", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [Lottery()])
        async let running: Void = robot.run()
        adapter.say("marvin draw 99 of 6", as: "ada")
        var answers = adapter.answers.makeAsyncIterator()
        #expect(await answers.next() == "ada: I can draw 1 to 20 lots from 2 to 100.")
        adapter.close()
        try await running
    }
}
