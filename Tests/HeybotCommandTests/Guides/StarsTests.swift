import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct StarsTests {
    let robot = TestRobot(name: "hubot", Stars())

    @Test func `a star is counted`() async throws {
        #expect(await robot.hears("a star for Ada!") == [.text("ada has 1 now.")])
        #expect(await robot.hears("hubot stars of Ada") == [.reply("Ada has 1.")])
    }
}
