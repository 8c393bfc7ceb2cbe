import Testing

@testable import StandardScripts

/// The words of commands that ask for reminders.
@Suite struct ReminderRequestTests {
    @Test(arguments: [
        ("to call ada", "call ada"), ("that it rains", "it rains"), ("about: tea", "tea"), ("tomatoes", "tomatoes"),
        (": tea", "tea"), ("to", ""), ("To Call", "Call"), ("thatched roofs", "thatched roofs")
    ])
    func `the text begins after a word such as to`(_ typed: String, _ text: String) {
        #expect(ReminderRequest(typed[...]).text == text)
    }

    @Test(
        arguments: [
            ("ada at 9:00 to eat", ["ada"], "at 9:00 to eat"),
            ("ada, bob at 9:00 to eat", ["ada", "bob"], "at 9:00 to eat"),
            ("ada and bob to eat at 9:00", ["ada", "bob"], "to eat at 9:00"),
            ("ada, bob and grace tomorrow to eat", ["ada", "bob", "grace"], "tomorrow to eat"),
            ("ada,bob, grace: tea in 20 minutes", ["ada", "bob", "grace:"], "tea in 20 minutes"),
            ("ada, bob, and grace when they're back to eat", ["ada", "bob", "grace"], "when they're back to eat"),
            ("ada, ina to eat in 20 minutes", ["ada", "ina"], "to eat in 20 minutes"),
            ("ada, \"bob b\" at 9:00 to eat", ["ada", "\"bob b\""], "at 9:00 to eat"),
            ("me, in 20 minutes, to eat", ["me"], "in 20 minutes, to eat"),
            ("me, tomorrow at 5 to eat", ["me"], "tomorrow at 5 to eat"),
            ("me, in private tomorrow to eat", ["me"], "in private tomorrow to eat"),
            ("me, ada is back at 9:00", ["me"], "ada is back at 9:00"),
            ("me, to eat at 9:00", ["me"], "to eat at 9:00"),
            ("me: and call ada at 9:00", ["me:"], "and call ada at 9:00"),
            ("in 20 minutes to eat", ["me"], "in 20 minutes to eat"),
            ("to eat in 20 minutes", ["me"], "to eat in 20 minutes"),
            ("ina to eat in 20 minutes", ["ina"], "to eat in 20 minutes")
        ] as [(String, [String], String)])
    func `several names come before the request`(_ typed: String, _ names: [String], _ request: String) throws {
        let space = try #require(typed.firstIndex(of: " "))
        let found = RemindedNames(typed[..<space], typed[typed.index(after: space)...])
        #expect(found.names.map { String($0) } == names)
        #expect(found.request == request)
    }

    @Test(arguments: [
        ("in private tomorrow to eat", true, false, "tomorrow to eat"),
        ("privately, tomorrow to eat", true, false, "tomorrow to eat"),
        ("when she's back to call me", false, true, "to call me"),
        ("when I’m around, that it rains", false, true, "that it rains"),
        ("in private when they are next online to eat", true, true, "to eat"),
        ("as soon as you see him that it rains", false, true, "that it rains"),
        ("once he speaks to call me", false, true, "to call me"),
        ("when it rains to close the window", false, false, "when it rains to close the window"),
        ("in privately owned shops to eat", false, false, "in privately owned shops to eat")
    ])
    func `conditions come first`(_ typed: String, _ isPrivate: Bool, _ waits: Bool, _ rest: String) {
        let request = ReminderRequest(typed[...])
        #expect(request.isPrivate == isPrivate)
        #expect(request.waits == waits)
        #expect(request.rest == rest)
    }

    @Test func `or follow the time`() {
        let request = ReminderRequest("in private tomorrow at 9 when she's back to eat").continued(
            with: "when she's back to eat")
        #expect(request.isPrivate && request.waits)
        #expect(request.text == "eat")
    }

    @Test func `only one that waits needs no time`() {
        #expect(ReminderRequest("when she's back to eat").hasNoTime)
        #expect(!ReminderRequest("when she's back tomorrow to eat").hasNoTime)
        #expect(!ReminderRequest("to eat").hasNoTime)
    }
}
