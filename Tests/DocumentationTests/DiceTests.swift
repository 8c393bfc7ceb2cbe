import Heybot
import HeybotTesting
import Testing

@Suite struct DiceTests {
    let robot = TestRobot(name: "hubot", seed: 1, Dice())

    @Test func `dice are rolled`() async {
        #expect(await robot.hears("hubot roll 3d6") == [.reply("4 + 5 + 6 = 15")])
    }

    @Test(arguments: ["hubot roll 0d6", "hubot roll 21d6", "hubot roll 1d1", "hubot roll 99999999999999999999d6"])
    func `there are not so many dice`(_ order: String) async {
        #expect(await robot.hears(order) == [.reply("I have 20 dice, with 2 to 100 sides.")])
    }

    @Test func `the help tells the truth`() {
        #expect(robot.brokenExamples() == [])
    }
}
