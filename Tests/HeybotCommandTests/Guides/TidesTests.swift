import Heybot
import HeybotTesting
import Testing

@Suite struct TidesTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Tides())
    }

    @Test func `the tide is answered`() async {
        web.answer(.get, "https://api.example.org/tide?port=New%20York", .json(#"{"centimeters": 310}"#))
        #expect(await robot.hears("hubot tide in New York") == [.reply("The water is 310 cm high in New York.")])
    }

    @Test func `errors are answered`() async {
        web.answer(.get, "https://api.example.org/tide?port=Dover", .failure(.timeout))
        #expect(await robot.hears("hubot tide in Dover") == [.reply("api.example.org took too long to answer.")])
    }
}

extension TidesTests {
    @Test func `the example works, and an error is answered as in the guide`() async {
        #expect(robot.brokenExamples() == [])
        let url = "https://api.example.org/tide?port=Dover"
        let wrong = "I can't get an answer from api.example.org just now."
        let said: [(StubHTTPClient.Answer, String, isTrouble: Bool)] = [
            (.text("", status: 404), "I found nothing at api.example.org.", false),
            (.text("", status: 429), "api.example.org is limiting my requests. Try again later.", true),
            (.text("", status: 500), wrong, true), (.json("{}"), wrong, true), (.failure(.unreachable), wrong, true),
            (.failure(.untrusted), wrong, true), (.failure(.broken), wrong, true),
            (.failure(.tooLong), wrong, true), (.failure(.redirects), wrong, true),
            (.failure(.badURL), "That isn't a valid web address.", false),
            (.failure(.notPublic), "api.example.org isn't a public web address, so I won't open it.", false)
        ]
        for (answer, words, isTrouble) in said {
            web.answer(.get, url, answer)
            let before = robot.loggedProblems.count
            #expect(await robot.hears("hubot tide in Dover") == [.reply(words)])
            #expect(robot.loggedProblems.count == before + (isTrouble ? 1 : 0))
        }
    }
}
