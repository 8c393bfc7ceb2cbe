import Testing

@testable import Heybot

@Suite struct MessageLimitTests {
    @Test func `a text, and what it answers, have few combining marks in a row`() {
        let marks = String(repeating: "\u{301}", count: 40)
        var message = Message(
            id: .init(adapter: "irc", value: "1"), user: User(id: .init(adapter: "irc", value: "al"), name: "Al"),
            room: Room(id: .init(adapter: "irc", value: "#a")), content: .text("a" + marks))
        message.reply = Message.Reply(text: "b" + marks)
        let bounded = message.withBoundedMarks
        #expect(bounded.text?.unicodeScalars.count == 31)
        #expect(bounded.reply?.text?.unicodeScalars.count == 31)
        // The most that may stay, and one more.
        message.content = .text(String(repeating: "\u{301}", count: 30))
        #expect(message.withBoundedMarks.text?.unicodeScalars.count == 30)
        message.content = .text(String(repeating: "\u{301}", count: 31))
        #expect(message.withBoundedMarks.text?.unicodeScalars.count == 30)
    }

    @Test func `a text that is too long is cut to where it still is, before another process gets it`() {
        func cut(_ content: Message.Content) -> Message.Content {
            Message(
                id: .init(adapter: "irc", value: "1"), user: User(id: .init(adapter: "irc", value: "al"), name: "Al"),
                room: Room(id: .init(adapter: "irc", value: "#a")), content: content
            ).cut(to: 4).content
        }
        #expect(cut(.text("four")) == .text("four"))
        #expect(cut(.text("123456789")) == .text("12345"))
        #expect(cut(.topic("123456789")) == .topic("12345"))
        #expect(cut(.leave(reason: "123456789")) == .leave(reason: "12345"))
        #expect(cut(.leave(reason: nil)) == .leave(reason: nil))
        // A character that is cut is too long too.
        if case .text(let text) = cut(.text("123\u{1F600}")) { #expect(text.utf8.count > 4) }
    }
}
