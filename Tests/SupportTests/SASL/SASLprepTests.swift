import Testing

@testable import HeybotSASL

/// SASLprep (RFC 4013 section 3 has examples).
@Suite struct SASLprepTests {
    @Test(arguments: [
        ("I\u{ad}X", "IX"), ("user", "user"), ("USER", "USER"), ("a b", "a b"), ("a\u{a0}b", "a b"),
        ("a\u{3000}b", "a b"),
        ("a\u{200b}b", "a b"), ("a\u{200d}b", "ab"), ("\u{feff}a\u{fe0f}", "a"), ("é", "é"), ("日本", "日本"), ("👍", "👍"),
        ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    ])
    func `text is mapped`(_ text: String, _ prepared: String) throws {
        let result = try SASLprep.prepared(text, named: "account")
        #expect(Array(result.unicodeScalars) == Array(prepared.unicodeScalars))
    }

    @Test(arguments: [
        "\0", "\u{7}", "\n", "\u{7f}", "\u{85}", "\u{6dd}", "\u{70f}", "\u{180e}", "\u{2028}", "\u{2061}", "\u{206a}",
        "\u{fffc}", "\u{fffd}", "\u{1d173}", "\u{e000}", "\u{f0000}", "\u{10fffd}",
        "\u{2ff0}", "\u{340}", "\u{200e}", "\u{202e}", "\u{e0001}", "\u{e0041}"
    ])
    func `prohibited characters are rejected`(_ character: String) {
        #expect(throws: SASLError.self) { try SASLprep.prepared("a\(character)b", named: "account") }
        #expect(throws: SASLError.unusable("the password contains a character that can't be sent")) {
            try SASLprep.prepared("a\(character)b", named: "password")
        }
    }

    @Test(arguments: [0xfdd0, 0xfffe, 0xffff, 0x10ffff] as [UInt32])
    func `noncharacters are rejected`(_ code: UInt32) throws {
        let text = String(try #require(Unicode.Scalar(code)))
        #expect(throws: SASLError.self) { try SASLprep.prepared(text, named: "account") }
    }

    @Test func `text that is mapped to nothing is rejected`() {
        #expect(throws: SASLError.unusable("the account contains only invisible characters")) {
            try SASLprep.prepared("\u{ad}\u{200d}", named: "account")
        }
    }

    @Test func `text that only NFKC would change is kept`() throws {
        for text in ["ª", "\u{2168}", "ﬁ", "e\u{301}"] {
            #expect(Array(try SASLprep.prepared(text, named: "account").utf8) == Array(text.utf8))
        }
    }
}
