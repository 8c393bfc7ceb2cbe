import HeybotXMPP
import Testing

/// OpaqueString.
@Suite struct ResourcepartTests {
    /// RFC 8265 section 4.3, and further cases.
    @Test(
        arguments: [
            ("correct horse battery staple", "correct horse battery staple"),
            ("Correct Horse Battery Staple", "Correct Horse Battery Staple"), ("πßå", "πßå"),
            ("Jack of ♦s", "Jack of ♦s"),
            ("foo\u{1680}bar", "foo bar"), ("", nil), ("my cat is a \u{9}by", nil),
            (" ", " "), ("\u{3000}", " "), ("a\u{a0}\u{2003}b", "a  b"), ("\"&'/:<>@", "\"&'/:<>@"), ("Å", "Å"),
            ("A\u{30a}", "Å"), ("Ａ", "Ａ"), ("ﬀ", "ﬀ"), ("Ⅳ", "Ⅳ"), ("😀", "😀"), ("👍🏽", "👍🏽"), ("\u{301}", "\u{301}"),
            ("aא1", "aא1"), ("\u{37e}", ";"), ("ᄀ\u{1161}", "가"), ("ﾡ", "ﾡ"), ("½²①", "½²①"), ("\u{fffd}", "\u{fffd}"),
            ("\u{20e3}", "\u{20e3}"), ("l·l", "l·l"), ("a·b", nil), ("a\u{387}b", nil), ("ア・", "ア・"), ("・", nil),
            ("٠۰", nil), ("क्\u{200d}", "क्\u{200d}"), ("a\u{200d}", nil), ("a\u{200b}b", nil), ("❤\u{fe0f}", nil),
            ("\u{ad}", nil), ("\u{e000}", nil), ("\u{378}", nil), ("\u{2028}", nil),
            ("\u{85}", nil), ("\0", nil), ("\u{1f}", nil), ("\u{7f}", nil), ("a\r\nb", nil), ("é\n", nil),
            ("\u{1100}", nil),
            ("\u{640}", nil), ("\u{202e}", nil), ("\u{feff}", nil), ("\u{e0041}", nil)
        ] as [(String, String?)])
    func `a resourcepart is normalized`(_ text: String, _ prepared: String?) {
        let result = try? JID(domain: "x", resource: text).resource
        #expect(result.map { Array($0.unicodeScalars) } == prepared.map { Array($0.unicodeScalars) })
    }
}
