import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct RulesTests {
    let robot = TestRobot(name: "hubot", Rules())

    @Test(arguments: ["hubot the rules", "hubot what are the three laws", "hubot the 3 rules"])
    func `it recites the laws`(_ question: String) async {
        let answer = await robot.hears(question)
        #expect(answer.count == 1)
        let laws = answer[0].content.split(separator: "\n")
        #expect(laws.map { $0.prefix(2) } == ["0.", "1.", "2.", "3."])
        #expect(laws[0].hasPrefix("0. A robot must not harm humankind"))
        #expect(laws[1].hasPrefix("1. A robot must not harm a human,"))
    }

    @Test func `developers have laws too`() async {
        for question in ["hubot the rules for devs", "hubot what are the laws at apple"] {
            #expect(await robot.hears(question)[0].content.hasPrefix("1. A developer must not break the build"))
        }
    }
}
