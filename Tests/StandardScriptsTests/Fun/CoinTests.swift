import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct CoinTests {
    let robot = TestRobot(name: "hubot", Coin())

    @Test(arguments: ["flip a coin", "flip coin", "toss a coin", "throw the coin", "FLIP A COIN"])
    func `a coin shows heads or tails`(_ words: String) async {
        var sides: Set<Utterance> = []
        for _ in 0..<50 { sides.formUnion(await robot.hears("hubot " + words)) }
        #expect(sides == [.reply("Heads."), .reply("Tails.")])
    }

    @Test(arguments: [1, 3, 100]) func `several are counted`(_ number: Int) async throws {
        let answer = await robot.hears("hubot flip \(number) coins").map(\.content)
        let match = try #require(answer.first?.wholeMatch(of: /Heads: (\d+), tails: (\d+)\./))
        #expect(Int(match.1).flatMap { heads in Int(match.2).map { heads + $0 } } == number)
    }

    @Test(arguments: ["0", "101", "99999999999999999999"]) func `too many are refused`(_ number: String) async {
        #expect(await robot.hears("hubot toss \(number) coins") == [.reply("I can flip 1 to 100 coins.")])
    }

    @Test(arguments: ["flip", "flip the table", "flip coin collectors", "flip -1 coins"])
    func `nothing else is answered`(_ words: String) async {
        #expect(await robot.hears("hubot " + words) == [])
    }
}
