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
