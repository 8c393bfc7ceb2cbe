import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct MathsTests {
    let robot = TestRobot(name: "hubot", Maths())

    @Test(arguments: [
        ("calc me 2 + 2", "4"), ("calc 2^10", "1024"), ("calculate me 20% of 50", "10"),
        ("math me 1/3", "0.3333333333 (1/3)"), ("convert me 10 km in miles", "6.213711922 mi"),
        ("convert 20 C to F", "68 °F")
    ]) func `works things out`(_ words: String, _ answer: String) async {
        #expect(await robot.hears("hubot \(words)") == [.text(answer)])
    }

    @Test(arguments: ["convert me 10 usd to eur", "exchange 10 EUR to USD"])
    func `money is left to another script`(_ words: String) async {
        #expect(await robot.hears("hubot \(words)") == [])
    }
}
