import HeybotIRC
import Testing

@Suite struct MaskTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("**", "abc", true), ("?", "", false), ("?", "日", true),
        ("?", "ab", false), ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbYbZ", false), ("*a?c", "abcabc", true),
        ("a\\*", "a\\b", true), ("a\\*", "a*", false), ("NICK[*", "nick{x", true), ("*?*?*", "a", false),
        ("*é", "caf\u{e9}", true), ("[a-z]", "b", false), ("ab", "abc", false), ("abc", "ab", false), ("*b", "ab", true)
    ])
    func `a mask matches a text`(_ pattern: String, _ text: String, _ matches: Bool) {
        #expect(Mask(pattern).matches(text) == matches)
    }

    @Test(arguments: [
        ("nick", true), ("NI*", true), ("*!*@host", true), ("*!user@*", true), ("*@host", true), ("nick!*@*", true),
        ("host", false), ("user", false), ("*@other", false), ("nick!u@host", false)
    ])
    func `a mask matches a source`(_ pattern: String, _ matches: Bool) {
        #expect(Mask(pattern).matches(Source(nick: "nick", user: "user", host: "host")) == matches)
    }

    @Test func `a mask with ! doesn't match a source without a user`() {
        #expect(!Mask("nick!*@*").matches(Source(nick: "nick")))
        #expect(Mask("nick").matches(Source(nick: "nick")))
    }

    @Test func `the server's case mapping is used`() {
        #expect(!Mask("a[").matches("A{", by: .ascii))
        #expect(Mask("a[").matches("A{", by: .rfc1459))
        #expect(!Mask("a[*").matches(Source(nick: "A{"), by: .ascii))
    }

    @Test(.timeLimit(.minutes(15))) func `no pattern takes exponential time`() {
        let text = String(repeating: "a", count: 500)
        #expect(!Mask(String(repeating: "*a", count: 200) + "*b").matches(text))
        #expect(Mask(String(repeating: "*a", count: 200) + "*").matches(text))
    }
}
