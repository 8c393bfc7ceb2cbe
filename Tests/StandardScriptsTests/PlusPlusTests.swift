import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct PlusPlusTests {
    let robot = TestRobot(name: "hubot", PlusPlus())

    @Test func `a plus plus is counted`() async throws {
        #expect(await robot.hears("swift++") == [.text("swift now has 1.")])
        #expect(await robot.hears("Swift++") == [.text("swift now has 2.")])
    }
}

extension PlusPlusTests {
    @Test(arguments: ["hubot score swift", "@hubot: score swift", "Hubot, SCORE swift"])
    func `the score can be asked for`(_ question: String) async throws {
        #expect(await robot.hears(question) == [.reply("swift has 0.")])
        _ = await robot.hears("swift++")
        #expect(await robot.hears(question) == [.reply("swift has 1.")])
    }
}
