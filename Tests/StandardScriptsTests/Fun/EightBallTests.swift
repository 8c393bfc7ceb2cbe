import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct EightBallTests {
    let robot = TestRobot(name: "hubot", EightBall())

    @Test func `there are twenty answers`() {
        #expect(WordLists.eightBall.count == 20)
    }

    @Test(arguments: [
        "8ball will it rain?", "8-ball: will it rain", "8 ball, will it", "magic 8 ball will it rain", "Magic 8-Ball x"
    ])
    func `a question is answered`(_ words: String) async throws {
        let answer = await robot.hears("hubot " + words)
        #expect(answer.count == 1)
        #expect(WordLists.eightBall.contains(try #require(answer.first).content))
    }

    @Test func `every answer comes up`() async {
        var answers: Set<String> = []
        for _ in 0..<400 { answers.formUnion(await robot.hears("hubot 8ball really?").map(\.content)) }
        #expect(answers == Set(WordLists.eightBall))
    }

    @Test func `no question gets no answer`() async {
        let refusal = "Ask the 8-ball something, for example: 8ball will it rain?"
        #expect(await robot.hears("hubot 8ball") == [.reply(refusal)])
        #expect(await robot.hears("hubot magic 8 ball ") == [.reply(refusal)])
    }

    @Test(arguments: ["hubot 8balls rain", "hubot 88ball rain", "8ball will it rain", "hubot magic ball"])
    func `nothing else is answered`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }
}
