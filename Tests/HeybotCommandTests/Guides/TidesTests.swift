import Heybot
import HeybotTesting
import Testing

@Suite struct TidesTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Tides())
    }

    @Test func `the tide is told`() async {
        web.answer(.get, "https://api.example.org/tide?port=New%20York", .json(#"{"centimetres": 310}"#))
        #expect(await robot.hears("hubot tide in New York") == [.reply("The water is 310 cm high in New York.")])
    }

    @Test func `so is trouble`() async {
        web.answer(.get, "https://api.example.org/tide?port=Dover", .trouble(.timeout))
        #expect(await robot.hears("hubot tide in Dover") == [.reply("api.example.org took too long to answer.")])
    }
}

extension TidesTests {
    @Test func `the help is true, and an error is said as the guide has it`() async {
        #expect(robot.brokenExamples() == [])
        let url = "https://api.example.org/tide?port=Dover"
        let wrong = "I can't get an answer from api.example.org just now."
        let said: [(StubHTTPClient.Answer, String, isTrouble: Bool)] = [
            (.text("", status: 404), "api.example.org has nothing there.", false),
            (.text("", status: 429), "api.example.org has had enough of me for now.", true),
            (.text("", status: 500), wrong, true), (.json("{}"), wrong, true), (.trouble(.unreachable), wrong, true),
            (.trouble(.untrusted), wrong, true), (.trouble(.broken), wrong, true),
            (.trouble(.tooLong), wrong, true), (.trouble(.redirects), wrong, true),
            (.trouble(.badURL), "That's no address I could ask.", false),
            (.trouble(.notPublic), "api.example.org is no place I may look at.", false)
        ]
        for (answer, words, isTrouble) in said {
            web.answer(.get, url, answer)
            let before = robot.troubles.count
            #expect(await robot.hears("hubot tide in Dover") == [.reply(words)])
            #expect(robot.troubles.count == before + (isTrouble ? 1 : 0))
        }
    }
}
