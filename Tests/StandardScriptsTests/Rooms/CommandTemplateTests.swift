import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct CommandTemplateTests {
    private static let matches: [(usage: String, text: String, arguments: [String: String]?)] = [
        ("standup", "standup", [:]), ("standup", "Standup!", [:]), ("standup", "standup now", nil),
        ("start the day", "start  THE day", [:]), ("start the day", "start the", nil),
        ("greet <name>", "greet Ada", ["name": "Ada"]),
        ("greet <name>", "greet Ada Lovelace", ["name": "Ada Lovelace"]),
        ("greet <name>", "greet", nil), ("greet <name>", "greet ada?", ["name": "ada?"]),
        ("ship <app> to <place>", "ship shop to staging", ["app": "shop", "place": "staging"]),
        ("ship <app> to <place>", "ship the shop to the moon", ["app": "the shop", "place": "the moon"]),
        ("ship <app> to <place>", "ship to staging", nil), ("ship <app> to <place>", "ship shop to", nil),
        ("ship <app> to <place>", "ship to to to", ["app": "to", "place": "to"]),
        ("move <a> <b>", "move x y z", ["a": "x", "b": "y z"]), ("move <a> <b>", "move x", nil),
        ("thank <name> very much", "thank Ada very very much", ["name": "Ada very"]),
        ("thank <name> very much", "thank very much", nil),
        ("ask <who> how long for <what>", "ask how how long for tea", ["who": "how", "what": "tea"]),
        ("say <First Name>", "say x", ["first name": "x"]),
        ("caf\u{E9} <n>", "CAFE\u{301} 2", ["n": "2"])
    ]

    @Test(arguments: matches) func `a message matches with its arguments`(
        _ usage: String, _ text: String, _ arguments: [String: String]?
    ) throws {
        #expect(try CommandTemplate(usage[...]).arguments(in: text) == arguments)
    }

    @Test(arguments: [
        "<name> greets", "", "\u{200B}", "--", "greet <name>!", "greet <1>", "a < b", "greet <a> <A>", "be <user>"
    ])
    func `what can't be a command is refused`(_ usage: String) {
        #expect(throws: Refusal.self) { try CommandTemplate(usage[...]) }
    }

    @Test(
        arguments: [
            ("deploy <app>", "deploy shop", true), ("deploy <app>", "deploy shop <x>", true),
            ("deploy <app> to <place>", "deploy the shop <x>", true), ("deploy <app> to <place>", "deploy shop", false),
            ("deploy <app> now", "deploy 9 <x>", true), ("deploy <app> now", "deploy <x> later", false),
            ("ship <a> <b>", "ship <c>", true), ("ship <a>", "Ship it!", true), ("standup", "Standup!", true),
            ("standup", "standup now", false), ("greet <name>", "greet", false), ("greet <name>", "meet <name>", false)
        ])
    func `two commands overlap if a message can mean both`(_ one: String, _ other: String, _ overlap: Bool) throws {
        let first = try CommandTemplate(one[...])
        let second = try CommandTemplate(other[...])
        #expect(first.overlaps(second) == overlap)
        #expect(second.overlaps(first) == overlap)
    }

    @Test func `its length is limited, and a long message is no match`() throws {
        #expect(throws: Refusal.self) { try CommandTemplate(String(repeating: "x", count: 101)[...]) }
        #expect(throws: Refusal.self) { try CommandTemplate(String(repeating: "a ", count: 13)[...]) }
        let template = try CommandTemplate("greet <name>")
        #expect(template.arguments(in: "greet " + String(repeating: "x", count: 1_994)) != nil)
        #expect(template.arguments(in: "greet " + String(repeating: "x", count: 1_995)) == nil)
    }

    @Test func `quotes and a comma around it are left out`() throws {
        #expect(try CommandTemplate("\"run the tests\",").usage == "run the tests")
        #expect(try CommandTemplate("greet  <name> :").key == "greet <>")
        #expect(try CommandTemplate("Greet <who>").key == "greet <>")
    }

    @Test func `placeholders are replaced once`() {
        let values = ["a": "<b>", "b": "two", "user": "ada"]
        #expect(CommandTemplate.fill("<a>, <B>: <user> <c> < d", with: values) == "<b>, two: ada <c> < d")
        #expect(CommandTemplate.placeholders(in: "x <A> <b c><3 <user>") == ["a", "b c", "user"])
    }
}
