import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct StandardScriptsTests {
    @Test func `every example in the help is answered by its listener`() {
        let robot = TestRobot(name: "hubot", alias: "/", standardScripts)
        #expect(robot.brokenExamples() == [])
    }

    @Test func `every script is in the catalog`() {
        #expect(standardScripts.map(\.name) == ["Diagnostics", "Help", "PlusPlus", "Rules"])
    }
}
