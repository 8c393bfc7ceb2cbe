import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

@Suite struct DiceExpressionTests {
    /// The result if every die shows its highest side.
    private func highest(_ typed: String) throws -> String {
        try DiceExpression(typed[...]).roll { $0 }
    }

    @Test(arguments: [
        ("d20", "20"), ("1d4", "4"), ("d%", "100"), ("D8", "8"), ("3d6+2", "(6 + 6 + 6) + 2 = 20"),
        ("2d6-1", "(6 + 6) - 1 = 11"), ("d6-2d4", "6 - (4 + 4) = -2"), ("1d8+1d6+3", "8 + 6 + 3 = 17"),
        ("d6-d4", "6 - 4 = 2"), ("2 + d6", "2 + 6 = 8"),
        ("d2 -3", "2 - 3 = -1"), (" 2d10 ", "10 + 10 = 20"), ("d6+0", "6 + 0 = 6"),
        ("d1000+10000", "1000 + 10000 = 11000")
    ])
    func `terms are read and added up`(_ typed: String, _ said: String) throws {
        #expect(try highest(typed) == said)
    }

    @Test(arguments: [
        "", " ", "d", "+", "6", "1+2", "+d6", "d6+", "d6++1", "d6+-1", "3d6 2", "d6d6", "3 d6", "d6.5", "٣d6", "d٣",
        "x",
        "d-6", "d6\n+x", "%", "d6\u{0}", String(repeating: "d6+", count: 100) + "d6"
    ])
    func `invalid dice are refused with an example`(_ typed: String) {
        let refusal = #expect(throws: Refusal.self) { try highest(typed) }
        #expect(refusal?.userMessage.hasSuffix("Try: roll 3d6+2, roll d20 or roll d%.") == true)
    }

    @Test(arguments: [
        ("0d6", "I can roll 1 to 100 dice."), ("101d6", "I can roll 1 to 100 dice."),
        ("60d6+41d6", "I can roll 1 to 100 dice."),
        ("99999999999999999999d6", "I can roll 1 to 100 dice."),
        ("9223372036854775807d6+9d6", "I can roll 1 to 100 dice."),
        ("d1", "My dice have 2 to 1,000 sides."), ("d0", "My dice have 2 to 1,000 sides."),
        ("d1001", "My dice have 2 to 1,000 sides."), ("d99999999999999999999", "My dice have 2 to 1,000 sides."),
        ("d6+10001", "I can add or subtract at most 10,000."),
        ("d6-99999999999999999999", "I can add or subtract at most 10,000.")
    ])
    func `too much is refused with the range`(_ typed: String, _ spoken: String) {
        #expect(throws: Refusal(spoken)) { try highest(typed) }
    }

    @Test func `thousands of hostile texts are read or refused`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "d", "D", "%", "+", "-", " ", "6", "20", "0", "9999999999999999999", "\n", "٣", "é", "\u{301}", "1d6"
        ]
        for _ in 0..<3_000 {
            let text = (0..<generator.below(12)).map { _ in generator.pick(pieces) }.joined()
            let line = (try? DiceExpression(text[...]))?.roll { $0 }
            #expect(line.map(\.count) ?? 0 < 1_000)
        }
    }

    @Test func `as much as there can be is rolled`() throws {
        #expect(try highest("60d1000+40d1000").hasSuffix(" = 100000"))
    }
}
