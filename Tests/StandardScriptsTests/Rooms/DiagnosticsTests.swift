import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct DiagnosticsTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], settings: ["TIME_ZONE": "UTC"], Diagnostics())

    @Test func `it answers ping`() async {
        #expect(await robot.hears("hubot PING") == [.text("PONG")])
        #expect(await robot.hears("hubot pinging") == [])
        #expect(await robot.hears("ping", from: "bob", in: "bob") == [.text("PONG")])
    }

    @Test func `it posts the given text, also over several lines`() async {
        #expect(await robot.hears("hubot echo hi there") == [.text("hi there")])
        #expect(await robot.hears("hubot echo one\ntwo") == [.text("one\ntwo")])
        #expect(await robot.hears("hubot echo") == [])
    }

    @Test func `it shows its adapter`() async {
        #expect(await robot.hears("hubot adapter") == [.text("test, up since 1 January 1")])
    }

    @Test func `a letter has at most 30 marks`() async {
        let (thirty, many) = (
            String(repeating: "\u{301}", count: 30), String(repeating: "\u{301}\u{323}", count: 9_000)
        )
        let answers = await robot.hears("hubot echo a\(many)b\(thirty)").map { Array($0.content.unicodeScalars) }
        #expect(answers.map(\.count) == [62])
        #expect(answers.first?[31] == "b")
    }

    @Test func `it dies for admins only`() async {
        #expect(await robot.hears("hubot die") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("hubot die", from: "root") == [.text("Goodbye, cruel world.")])
        #expect(await robot.hears("hubot ping") == [])
    }
}
