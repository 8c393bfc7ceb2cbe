import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct HelpTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Help(), PlusPlus(), Diagnostics())

    @Test func `help shows what the asker may use, sorted`() async {
        let lines = await robot.hears("hubot help").map(\.content).joined().split(separator: "\n")
        #expect(lines.first == "<name>++ - Give someone a point")
        #expect(lines.contains("hubot ping - Answer PONG"))
        #expect(!lines.contains("hubot die - End the robot"))
        #expect(lines == lines.sorted())
        let admins = await robot.hears("hubot help", from: "root").map(\.content).joined()
        #expect(admins.contains("hubot die - End the robot"))
    }

    @Test func `words narrow it down, all of them`() async {
        #expect(await robot.hears("hubot help SCORE") == [.text("hubot score <name> - Show a score")])
        #expect(await robot.hears("hubot help sco sh") == [.text("hubot score <name> - Show a score")])
        #expect(await robot.hears("hubot help ame") == [.reply("I know no command with ame in it.")])
        #expect(await robot.hears("hubot help show score") == [.text("hubot score <name> - Show a score")])
        #expect(
            await robot.hears("hubot help nothing like it") == [.reply("I know no command with nothing like it in it.")]
        )
    }

    @Test func `in private the name needn't be said`() async {
        #expect(await robot.hears("help score", from: "bob", in: "bob") == [.text("score <name> - Show a score")])
    }
}
