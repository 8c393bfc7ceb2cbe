import HeybotTesting
import Testing

@testable import Heybot

@Suite struct RequiredTextTests {
    @Test(arguments: [
        (#"\b(?<name>\w+)\+\+"#, "++"), ("ping$", "ping"), (#"help(?:\s+(.*))?$"#, "help"), ("a|b", nil),
        ("colou?r", "colo"), ("ab{0}cde", "cde"), ("[abc]def", "def"), ("(?i)abc", nil), ("(?x) a b # c", nil),
        ("cafe\u{301} bar", " bar"), ("caf\u{e9}", "ca"), ("kiss", "i"), (#"\d+ liters"#, " liter"), (#"\Qa|b\E"#, nil),
        ("(a|b)cd", "cd"), ("(unclosed", nil), ("x*", nil), ("", nil), (#"a\.b"#, "a.b"), ("ab+c", "ab"),
        ("[]a]bc", "bc"),
        (#"a;b`c"#, "a"), (#"\x41bc"#, nil), ("ABC", "abc")
    ]) func `what every match has`(pattern: String, text: String?) {
        #expect(RequiredText(pattern).map { String(decoding: $0.bytes, as: UTF8.self) } == text)
    }

    @Test func `it is never missing where the regex matches`() throws {
        let pieces = ["a", "K", "\u{212a}", "ſ", "S", "+", "é", "e\u{301}", ";", "\u{37e}", "x", " ", "1"]
        let patterns = [
            "a+b?", "k", "sx", "e\u{301}", "é", "a;", "x{2}", "(a|x)k", "[+]a", "ax*1", "1?a", "s", ".a", "a."
        ]
        var generator = SeededGenerator(seed: 4)
        var matches = 0
        for text in patterns {
            let required = RequiredText(text)
            let pattern = Pattern(try Regex(text), caseSensitive: false)
            for _ in 0..<300 {
                let message = (0..<6).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
                guard try pattern.search(message) != nil else { continue }
                matches += 1
                #expect(required?.isIn(message) ?? true, "\(text) matches \(message)")
            }
        }
        #expect(matches > 300)
    }
}
