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

@Suite struct PlusPlusTests {
    let robot = TestRobot(name: "hubot", PlusPlus())

    @Test func `a plus plus is counted`() async throws {
        #expect(await robot.hears("swift++") == [.text("swift now has 1.")])
        #expect(await robot.hears("Swift++") == [.text("swift now has 2.")])
    }

    @Test(arguments: ["hubot score swift", "@hubot: score swift", "Hubot, SCORE swift"])
    func `the score can be asked for`(_ question: String) async throws {
        #expect(await robot.hears(question) == [.reply("swift has 0.")])
        _ = await robot.hears("swift++")
        #expect(await robot.hears(question) == [.reply("swift has 1.")])
    }
}

@Suite struct DiagnosticsTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Diagnostics())

    @Test func `it answers ping`() async {
        #expect(await robot.hears("hubot PING") == [.text("PONG")])
        #expect(await robot.hears("hubot pinging") == [])
        #expect(await robot.hears("ping", from: "bob", in: "bob") == [.text("PONG")])
    }

    @Test func `it says what it is told to, over several lines too`() async {
        #expect(await robot.hears("hubot echo hi there") == [.text("hi there")])
        #expect(await robot.hears("hubot echo one\ntwo") == [.text("one\ntwo")])
        #expect(await robot.hears("hubot echo") == [])
    }

    @Test func `it tells the time and its adapter`() async {
        #expect(await robot.hears("hubot time") == [.text("Server time is: 2001-01-01T00:00:00Z")])
        #expect(await robot.hears("hubot adapter") == [.text("test, up since 0001-01-01T00:00:00Z")])
    }

    @Test func `it dies for admins only`() async {
        #expect(await robot.hears("hubot die") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot die", from: "root") == [.text("Goodbye, cruel world.")])
        #expect(await robot.hears("hubot ping") == [])
    }
}

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
        #expect(await robot.hears("hubot help show score") == [.text("hubot score <name> - Show a score")])
        #expect(
            await robot.hears("hubot help nothing like it") == [.reply("I know no command with nothing like it in it.")]
        )
    }

    @Test func `in private the name needn't be said`() async {
        #expect(await robot.hears("help score", from: "bob", in: "bob") == [.text("score <name> - Show a score")])
    }
}

@Suite struct RulesTests {
    let robot = TestRobot(name: "hubot", Rules())

    @Test(arguments: ["hubot the rules", "hubot what are the three laws", "hubot the 3 rules"])
    func `it knows its laws`(_ question: String) async {
        let answer = await robot.hears(question)
        #expect(answer.count == 1)
        #expect(answer[0].content.hasPrefix("1. A robot must not harm a human"))
    }

    @Test func `developers have laws too`() async {
        for question in ["hubot the rules for devs", "hubot what are the laws at apple"] {
            #expect(await robot.hears(question)[0].content.hasPrefix("1. A developer must not break the build"))
        }
    }
}
