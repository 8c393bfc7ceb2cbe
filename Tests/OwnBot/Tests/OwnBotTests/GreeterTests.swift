import Heybot
import HeybotTesting
import Scripts
import Testing

@Test func `it greets`() async {
    let robot = TestRobot(name: "Marvin", Greeter())
    #expect(await robot.hears("marvin hello") == [.reply("Hello from Marvin.")])
    #expect(robot.brokenExamples() == [])
    #expect(scripts.map(\.name).contains("Greeter"))
}
