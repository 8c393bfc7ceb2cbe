import Testing

@testable import Heybot

@Suite struct CombiningMarkLimitTests {
    @Test func `a text, and what it answers, have few combining marks in a row`() {
        let marks = String(repeating: "\u{301}", count: 40)
        var message = Message(
            id: .init(adapter: "irc", value: "1"), user: User(id: .init(adapter: "irc", value: "al"), name: "Al"),
            room: Room(id: .init(adapter: "irc", value: "#a")), content: .text("a" + marks))
        message.reply = Message.Reply(text: "b" + marks)
        let bounded = message.withBoundedMarks
        #expect(bounded.text?.unicodeScalars.count == 31)
        #expect(bounded.reply?.text?.unicodeScalars.count == 31)
    }
}
