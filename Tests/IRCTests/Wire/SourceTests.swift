import HeybotIRC
import Testing

@Suite struct SourceTests {
    @Test(arguments: [
        ("", Source(nick: "")), ("nick", Source(nick: "nick")), ("irc.example.org", Source(nick: "irc.example.org")),
        ("n!u@h", Source(nick: "n", user: "u", host: "h")), ("n!", Source(nick: "n", user: "")),
        ("n@", Source(nick: "n", host: "")), ("!@", Source(nick: "", user: "", host: "")),
        ("n!u@trusted@h", Source(nick: "n", user: "u@trusted", host: "h")),
        ("n!u!v@h", Source(nick: "n", user: "u!v", host: "h")), ("n@h!u@x", Source(nick: "n", host: "h!u@x")),
        ("日本!ü\u{301}@é", Source(nick: "日本", user: "ü\u{301}", host: "é")),
        ("n!\u{301}u@\u{301}h", Source(nick: "n", user: "\u{301}u", host: "\u{301}h"))
    ])
    func `a source is parsed and written`(_ text: String, _ source: Source) {
        #expect(Source(text) == source && Source(text).origin == source.origin)
        #expect(source.description == text)
    }

    @Test func `sources with one part that differs aren't equal`() {
        let source = Source("n!u@h")
        #expect(["m!u@h", "n!v@h", "n!u@i", "n!u", "n@h"].allSatisfy { Source($0) != source })
    }

    @Test(
        arguments: [
            ("n!u@h", "n", "u", "h", "u@h"), ("n!u@trusted@h", "n", "u@trusted", "h", "u@trusted@h"),
            ("n!@", "n", "", "", "@"),
            ("n!u", "n", "u", nil, nil), ("n@a@b", "n", nil, "a@b", nil), ("n", "n", nil, nil, nil),
            (
                "n!~longer-than-inline@gateway/web/é", "n", "~longer-than-inline", "gateway/web/é",
                "~longer-than-inline@gateway/web/é"
            )
        ] as [(String, String, String?, String?, String?)])
    func `a source has its parts`(_ text: String, _ nick: String, _ user: String?, _ host: String?, _ origin: String?) {
        let source = Source(text)
        #expect(source.nick == nick && source.user == user && source.host == host)
        #expect(source.origin == origin && source.description == text)
    }
}
