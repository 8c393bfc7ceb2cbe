import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct MathsTests {
    let robot = TestRobot(name: "hubot", Maths())

    @Test(arguments: [
        ("calc me 2 + 2", "4"), ("calc 2^10", "1024"), ("calculate me 20% of 50", "10"),
        ("math me 1/3", "0.3333333333 (1/3)"), ("convert me 10 km in miles", "6.213711922 mi"),
        ("convert 20 C to F", "68 °F"), ("convert a mile to km", "1.609344 km"), ("calc an hour in s", "3600 s")
    ]) func `works things out`(_ words: String, _ answer: String) async {
        #expect(await robot.hears("hubot \(words)") == [.text(answer)])
    }

    @Test(arguments: [
        ("calc 1/0", "Division by zero."), ("calc 5 foo", "I don't know the unit foo."),
        ("calc 9^9^9^9", "That's too large for me: the limit is 10,000 digits.")
    ])
    func `what it can't calculate is reported`(_ words: String, _ sentence: String) async {
        #expect(await robot.hears("hubot \(words)") == [.reply(sentence)])
        #expect(robot.loggedProblems == [])
    }

    @Test func `currencies are left to the script Currency if it is enabled`() async throws {
        let web = StubHTTPClient()
        let robot = TestRobot(name: "hubot", web: web, Currency(), Maths())
        let rates = "<Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/></Cube>"
        web.answer("https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml", .text(rates))
        #expect(
            await robot.hears("hubot convert me 10 usd to eur")
                == [.reply("10 USD is 8.00 EUR (rate of 20 November 2026).")])
        #expect(await robot.hears("hubot convert 10 km to m") == [.text("10000 m")])
        #expect(
            await robot.hears("hubot exchange 10 dollars to euros")
                == [.reply("Use currency codes, for example: exchange 10 USD to EUR.")])
        try await robot.robot.turn("Currency", on: false)
        #expect(await robot.hears("hubot convert 10 usd to eur").count == 1)
    }
}
