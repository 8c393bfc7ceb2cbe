import Heybot
import HeybotTesting
import Testing

@Suite struct LotteryTests {
    let robot = TestRobot(name: "hubot", seed: 1, Lottery())

    @Test func `lots are drawn`() async {
        #expect(await robot.hears("hubot draw 3 of 6") == [.reply("4, 5, 6")])
    }

    @Test(arguments: [
        "hubot draw 0 of 6", "hubot draw 21 of 6", "hubot draw 1 of 1", "hubot draw 99999999999999999999 of 6"
    ])
    func `numbers out of range are refused`(_ order: String) async {
        #expect(await robot.hears(order) == [.reply("I can draw 1 to 20 lots from 2 to 100.")])
    }

    @Test func `the help's examples work`() {
        #expect(robot.brokenExamples() == [])
    }
}
