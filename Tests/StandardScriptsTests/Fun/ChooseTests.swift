import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import StandardScripts

@Suite struct ChooseTests {
    let robot = TestRobot(name: "hubot", Choose())

    @Test(arguments: [
        "choose a, b or c", "pick a, b, or c", "choose between a, b and c", "pick from a or b or c", "Choose A OR b, C?"
    ])
    func `one is chosen, each in time`(_ words: String) async {
        var chosen: Set<String> = []
        for _ in 0..<50 { chosen.formUnion(await robot.hears("hubot " + words).map { $0.content.lowercased() }) }
        #expect(chosen == ["a", "b", "c"])
    }

    @Test func `one choice only is no choice`() async {
        #expect(await robot.hears("hubot choose tea") == [.reply("There's only one option: tea.")])
        #expect(await robot.hears("hubot pick tea, Tea or TEA") == [.reply("There's only one option: tea.")])
    }

    @Test(arguments: [",", "?", ", ,", "\u{202E}, \u{200B}"]) func `no choices get an example`(_ words: String) async {
        #expect(
            await robot.hears("hubot choose \(words)")
                == [.reply("Choose from what? Try: choose tea, coffee or milk.")])
    }

    @Test func `there are at most fifty`() async {
        let many = (1...51).map(String.init)
        let refusal = Utterance.reply("I can choose from at most 50 options.")
        #expect(await robot.hears("hubot choose \(many.joined(separator: ","))") == [refusal])
        #expect(await robot.hears("hubot choose \(many.dropLast().joined(separator: ","))").count == 1)
        let hostile = String(repeating: "“", count: 20_000)
        #expect(await robot.hears("hubot choose \(hostile)") == [refusal])
    }

    @Test(arguments: ["hubot chooses a or b", "hubot choose", "hubot pickle a, b", "choose a or b"])
    func `nothing else is answered`(_ words: String) async {
        #expect(await robot.hears(words) == [])
    }
}

@Suite struct ChoicesTests {
    @Test(arguments: [
        ("a, b or c", ["a", "b", "c"]), ("a,b,,c", ["a", "b", "c"]), ("a, or b", ["a", "b"]), ("a or b?", ["a", "b"]),
        ("tea and milk or coffee", ["tea and milk", "coffee"]), ("orange or candor", ["orange", "candor"]),
        (#""tea, warm" or "now or never""#, ["tea, warm", "now or never"]), ("“a, b”, c", ["a, b", "c"]),
        (#"rock"n"roll, pop"#, [#"rock"n"roll"#, "pop"]), (#"5" disk or 3" disk"#, [#"5" disk or 3" disk"#]),
        ("a  b , b\u{7}", ["a b", "b"]), ("either-or, or", ["either-or", "or"])
    ])
    func `commas and or separate, but not in quotes`(_ typed: String, _ choices: [String]) throws {
        #expect(try Choose.ChoiceList(typed[...], hasAnd: false).all == choices)
    }

    @Test(arguments: [
        ("a and b", ["a", "b"]), ("a, b and c", ["a", "b", "c"]), ("a, b, AND c", ["a", "b", "c"]),
        (#""salt and pepper" and sand"#, ["salt and pepper", "sand"])
    ])
    func `and separates after between`(_ typed: String, _ choices: [String]) throws {
        #expect(try Choose.ChoiceList(typed[...], hasAnd: true).all == choices)
    }

    @Test func `thousands of hostile texts break nothing`() throws {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            ",", "\"", "“", "”", " or ", " and ", "or", " ", "a", "é", "\u{301}", "\u{202E}", "\n", "?", "🐿", "\u{200D}"
        ]
        for _ in 0..<3_000 {
            let text = (0..<generator.below(24)).map { _ in generator.pick(pieces) }.joined()
            let choices = try Choose.ChoiceList(text[...], hasAnd: generator.below(2) == 0).all
            #expect(choices.allSatisfy { 1...100 ~= $0.count && !$0.contains(where: \.isNewline) }, "\(text)")
            #expect(Set(choices).count == choices.count)
        }
    }

    @Test func `long choices are cut`() throws {
        let choices = try Choose.ChoiceList("\(String(repeating: "x", count: 150)), b"[...], hasAnd: false).all
        #expect(choices == [String(repeating: "x", count: 99) + "…", "b"])
    }
}
