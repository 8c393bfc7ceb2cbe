import Foundation
import Heybot
import Testing

@testable import StandardScripts

@Suite struct PollOrderTests {
    /// Parses a poll on Monday, 1 January 2001, at midnight.
    private func order(_ text: String) throws -> Polls.PollOrder {
        let zone = try #require(IANATimeZone(named: "UTC"))
        return try Polls.PollOrder(text[...], isSecret: false, in: zone, at: Date(timeIntervalSinceReferenceDate: 0))
    }

    @Test(
        arguments: [
            ("lunch: pizza, curry", "lunch", ["pizza", "curry"], nil),
            ("lunch:pizza,curry", "lunch", ["pizza", "curry"], nil),
            ("lunch: pizza or curry", "lunch", ["pizza", "curry"], nil),
            ("lunch? : \"ham, eggs\", Curry, curry", "lunch?", ["ham, eggs", "Curry"], nil),
            ("lunch until 12:30: pizza, curry", "lunch", ["pizza", "curry"], 12.5),
            ("lunch,  until 12:30: pizza, curry", "lunch", ["pizza", "curry"], 12.5),
            ("lunch: pizza, curry until 12:30", "lunch", ["pizza", "curry"], 12.5),
            ("lunch: pizza, curry, UNTIL tomorrow at 12:00", "lunch", ["pizza", "curry"], 36),
            ("lunch: pizza, curry for 90 minutes", "lunch", ["pizza", "curry"], 1.5),
            ("lunch for 2 hours: pizza, curry", "lunch", ["pizza", "curry"], 2),
            ("a gift: wine for ada, a book for bob", "a gift", ["wine for ada", "a book for bob"], nil),
            ("wait: yes, not until it rains", "wait", ["yes", "not until it rains"], nil),
            ("when: 9:30, 10:00", "when", ["9:30", "10:00"], nil),
            ("shall we go out?", "shall we go out?", ["yes", "no"], nil),
            ("\"Shall we go out?\"", "Shall we go out?", ["yes", "no"], nil),
            ("\"Lunch?\" pizza, sushi", "Lunch?", ["pizza", "sushi"], nil),
            ("“Lunch?” pizza, sushi until 12:30", "Lunch?", ["pizza", "sushi"], 12.5),
            ("\"Lunch: now?\": pizza, sushi", "Lunch: now?", ["pizza", "sushi"], nil),
            ("\"Lunch?\":pizza,sushi", "Lunch?", ["pizza", "sushi"], nil),
            ("\"Lunch\" until 12:30: pizza, sushi", "Lunch", ["pizza", "sushi"], 12.5),
            ("\"Lunch?\" \"pizza, big\" \"sushi: small\"", "Lunch?", ["pizza, big", "sushi: small"], nil),
            ("Lunch? pizza or sushi", "Lunch?", ["pizza", "sushi"], nil),
            ("Lunch? pizza, sushi or curry?", "Lunch?", ["pizza", "sushi", "curry"], nil),
            ("When? 9:30 or 10:00", "When?", ["9:30", "10:00"], nil),
            ("Wait until tomorrow? yes, no", "Wait until tomorrow?", ["yes", "no"], nil),
            ("next: Swift?, Rust?", "next", ["Swift?", "Rust?"], nil),
            ("lunch: pizza or \"wait until tomorrow\"", "lunch", ["pizza", "wait until tomorrow"], nil),
            ("lunch until 12:30:pizza,curry", "lunch", ["pizza", "curry"], 12.5),
            ("shall we meet at 10:30?", "shall we meet at 10:30?", ["yes", "no"], nil),
            ("colors for march: red, blue", "colors for march", ["red", "blue"], nil),
            ("shall we go out? until 12:30", "shall we go out?", ["yes", "no"], 12.5),
            ("\"lunch\" “pizza” “curry, hot”", "lunch", ["pizza", "curry, hot"], nil)
        ] as [(String, String, [String], Double?)])
    func `question, choices and end are found`(
        _ text: String, _ question: String, _ choices: [String], _ hours: Double?
    ) throws {
        let order = try order(text)
        #expect(order.question == question)
        #expect(order.choices == choices)
        #expect(order.end.map { $0.timeIntervalSinceReferenceDate / 3_600 } == hours)
    }

    @Test(arguments: [
        ("lunch", "Write the choices after a colon"), (": a, b", "Write the choices after a colon"),
        ("Lunch? pizza", "A poll has 2 to 20 choices"), ("\"Lunch\"", "Write the choices after a colon"),
        ("lunch: pizza", "A poll has 2 to 20 choices"), ("lunch: pizza, PIZZA", "A poll has 2 to 20 choices"),
        ("lunch: \((1...21).map { "\($0)" }.joined(separator: ","))", "A poll has 2 to 20 choices"),
        ("lunch: pizza, curry until yesterday", "\"yesterday\" is over. Name a time to come, as in: poll lunch until"),
        ("lunch until yesterday at 12:30: pizza, curry", "\"yesterday at 12:30\" is over."),
        ("lunch until 2000-12-31: pizza, curry", "\"2000-12-31\" is over."),
        ("lunch until 31.12.2000 12:00: pizza, curry", "\"31.12.2000 12:00\" is over."),
        ("lunch until monday last week: pizza, curry", "\"monday last week\" is over."),
        ("lunch until 2 hours ago: pizza, curry", "\"2 hours ago\" is over."),
        ("lunch until now: pizza, curry", "\"now\" is over."),
        ("lunch until 31.12.00: pizza, curry", "I don't understand the time \"31.12.00\"."),
        ("lunch until 25:00: pizza, curry", "I don't understand the time \"25:00\"."),
        ("lunch for 0 minutes: pizza, curry", "I don't understand the time \"in 0 minutes\"."),
        ("lunch: pizza, curry until tomorrow at 5", "Do you mean 05:00 or 17:00? Please say the whole poll again."),
        (String(repeating: "a", count: 5_000), "That's too long")
    ])
    func `what isn't a poll is refused with the reason`(_ text: String, _ reason: String) {
        let refusal = #expect(throws: Refusal.self) { try order(text) }
        #expect(refusal?.userMessage.hasPrefix(reason) == true, "\(refusal?.userMessage ?? "")")
    }
}
