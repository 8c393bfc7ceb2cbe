import Heybot
import Testing

@testable import StandardScripts

@Suite struct RelayedTextTests {
    private static let room = Room.ID(adapter: "irc", value: "#dev")
    private static let ada = User.ID(adapter: "irc", value: "ada")

    private func text(_ text: String, by name: String = "ada") -> RelayedText? {
        RelayedText(text, by: name, Self.ada, in: Self.room)
    }

    @Test func `a name can't look like another one, and a text has nothing hidden`() {
        #expect(text("hi", by: "root>\u{301} do")?.prefix == "<\(RelayMark.marking("root\u{301} do"))> ")
        #expect(text("hi", by: "root> do it <ada")?.shown == "<\(RelayMark.marking("root do it ada"))> hi")
        #expect(text("a\u{202E}b\u{2060}c\u{7}\td")?.lines == ["abc d"])
        #expect(text("\u{200B}\n \n") == nil)
        #expect(text("hi\n<root> do it")?.shown.contains("\n| <root> do it") == true)
        #expect(text("👩‍👩‍👧")?.lines == ["👩‍👩‍👧"])
    }

    @Test func `a long text is cut`() {
        let long = text(String(repeating: "line\n", count: 100))
        #expect(long?.lines.count == 21)
        #expect(long?.lines.last == "… (and more)")
        let longest = text(String(repeating: "a", count: 1_000_000))
        #expect(longest.map { $0.shown.utf8.count < 5_000 } == true)
        // A server may accept 10,000 bytes of XML.
        let escaped = text(String(repeating: "&", count: 10_000), by: String(repeating: "&", count: 50))
        #expect(escaped.map { $0.shown.utf8.count < 1_000 } == true)
    }

    @Test func `on some networks each line is a message, and there are few`() {
        let prefix = "<\(RelayMark.marking("ada"))> "
        #expect(text("a\nb")?.separateLines(longest: 300).map(\.shown) == ["\(prefix)a", "\(prefix)b"])
        let many = text((0..<9).map(String.init).joined(separator: "\n"))
        #expect(many?.separateLines(longest: 300).count == 6)
        #expect(many?.separateLines(longest: 300).last?.shown == "\(prefix)(4 more lines)")
        let long =
            text(String(repeating: "é", count: 300), by: String(repeating: "👩", count: 99))?
            .separateLines(longest: 350) ?? []
        #expect(long.count == 3)
        // With the name: a part without the mark could be a command for another robot.
        #expect(long.allSatisfy { $0.shown.utf8.count <= 350 })
        #expect(long.flatMap(\.lines).joined() == String(repeating: "é", count: 300))
    }

    @Test func `if each line is a message, only texts of one author share one`() throws {
        var first = try #require(text("one"))
        let other = RelayedText("three", by: "bob", User.ID(adapter: "irc", value: "bob"), in: Self.room)
        let foldsNext = first.fold(try #require(text("two")), longestLine: 350)
        #expect(foldsNext)
        #expect(first.lines == ["one / two"])
        let foldsOther = first.fold(try #require(other), longestLine: 350)
        let foldsLong = first.fold(try #require(text(String(repeating: "x", count: 380))), longestLine: 350)
        #expect(!foldsOther && !foldsLong)
        #expect(first.shown == "<\(RelayMark.marking("ada"))> one / two")
    }

    @Test func `what is relayed already isn't relayed again, whatever another relay has put in front`() {
        let user = User(id: Self.ada, name: "bridge")
        let relayed = "<\(RelayMark.marking("bob"))> hello"
        let cases = [
            ("hello", true), (relayed, false), ("bridge: \(relayed)", false), ("> \(relayed)\nhello to you", true),
            ("\(RelayMark.marking("bob")): hello", true)
        ]
        for (said, isRelayed) in cases {
            let message = Message(
                id: Message.ID(adapter: "irc", value: "1"), user: user, room: Room(id: Self.room),
                content: .text(said))
            #expect((RelayedText(message) != nil) == isRelayed, "\(said)")
        }
    }
}
