import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct DiceTests {
    let robot = TestRobot(name: "hubot", Dice())

    @Test(arguments: ["roll", "roll me", "roll a die", "roll the d6", "roll me a d6", "Roll 1D6"])
    func `one die is a number`(_ words: String) async throws {
        let answer = await robot.hears("hubot " + words).map(\.content)
        #expect(try (1...6).contains(#require(answer.first.flatMap { Int($0) })))
        #expect(answer.count == 1)
    }

    @Test(arguments: [
        ("roll 3d6+2", #"\(\d \+ \d \+ \d\) \+ 2 = \d+"#), ("roll dice", #"\d \+ \d = \d+"#),
        ("roll 2d4 - 1", #"\(\d \+ \d\) - 1 = \d+"#)
    ])
    func `several are added up`(_ words: String, _ answer: String) async throws {
        let said = await robot.hears("hubot " + words)
        #expect(said.count == 1)
        let pattern = try Regex(answer)
        #expect(said.allSatisfy { $0.content.wholeMatch(of: pattern) != nil }, "\(said)")
        #expect(said.allSatisfy { if case .reply = $0 { true } else { false } })
    }

    @Test(arguments: ["credits", "me the credits", "5", "back, please"])
    func `other words get an example`(_ words: String) async {
        let answer = await robot.hears("hubot roll \(words)").map(\.content)
        #expect(answer.count == 1)
        #expect(answer.allSatisfy { $0.hasSuffix("Try: roll 3d6+2, roll d20 or roll d%.") })
    }

    @Test func `long input is cut in the answer`() async {
        let answer = await robot.hears("hubot roll \(String(repeating: "x", count: 100_000))").map(\.content)
        #expect(answer.count == 1)
        #expect(answer.allSatisfy { $0.count < 200 })
    }

    @Test(arguments: ["hubot rollback", "hubot roller", "roll 3d6", "hubot troll"])
    func `nothing else is answered`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }

    @Test func `every side comes up`() async {
        var numbers: Set<String> = []
        for _ in 0..<200 { numbers.formUnion(await robot.hears("hubot roll").map(\.content)) }
        #expect(numbers == ["1", "2", "3", "4", "5", "6"])
    }
}
