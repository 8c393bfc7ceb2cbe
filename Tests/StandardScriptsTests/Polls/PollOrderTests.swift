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
            ("shall we go out?", "shall we go out?", ["yes", "no"], nil)
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
        ("lunch: pizza", "A poll has 2 to 20 choices"), ("lunch: pizza, PIZZA", "A poll has 2 to 20 choices"),
        ("lunch: \((1...21).map { "\($0)" }.joined(separator: ","))", "A poll has 2 to 20 choices"),
        ("lunch: pizza, curry until yesterday", "\"yesterday\" is over."),
        (String(repeating: "a", count: 5_000), "That's too long")
    ])
    func `what isn't a poll is refused with the reason`(_ text: String, _ reason: String) {
        let refusal = #expect(throws: Refusal.self) { try order(text) }
        #expect(refusal?.userMessage.hasPrefix(reason) == true, "\(refusal?.userMessage ?? "")")
    }
}
