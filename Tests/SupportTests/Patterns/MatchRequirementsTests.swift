import Testing

@testable import Heybot

/// The requirements of a pattern: literals, bytes, length and allowed bytes.
private func requirements(_ pattern: String, _ dialect: RegexAST.Dialect = .swift, ignoresCase: Bool = true)
    -> MatchRequirements
{
    MatchRequirements(of: RegexAST(pattern, dialect: dialect, ignoresCase: ignoresCase))
}

private func literals(_ requirements: MatchRequirements) -> [[String]] {
    requirements.literals.map { $0.map { String(decoding: $0, as: UTF8.self) } }
}

struct `Requirements of patterns` {
    @Test(arguments: [
        ("deploy", [["deploy"]]),
        ("Deploy", [["deploy"]]),
        ("colou?r", [["color", "colour"]]),
        ("(?:re)?deploy", [["deploy"]]),
        ("(?:foo|bar)baz", [["foobaz", "barbaz"]]),
        ("(?:foo|bar)+baz", [["foobaz", "barbaz"]]),
        ("deploy (\\w+) to (\\w+)", [["deploy "], [" to "]]),
        ("(?i:help)(?-i: me)", [["help me"]]),
        ("gr[ae]y", [["gray", "grey"]]),
        ("(?=.*foo)(?=.*bar)", [["foo"], ["bar"]]),
        ("(?!foo)bar", [["bar"]]),
        ("foo|x\\d", []),
        ("(?:foo)?", []),
        ("(?:foo){0}bar", [["bar"]]),
        ("(?:ab){3}", [["ababab"]]),
        ("(?:ab){2,}c", [["abab"], ["abc"]]),
        ("a{3}", [["aaa"]]),
        ("foo\\.bar", [["foo.bar"]]),
        ("\\Qa.b*\\Ec", [["a.b*c"]]),
        ("\\u0041bc", [["abc"]]),
        ("foo|bar baz", [["foo", "bar baz"]]),
        ("cafe\\u0301s", [["caf"]]), ("caf\\u00e9", [["ca"]]),
        ("caf\u{e9}s", [["caf"]]),
        ("foo.bar", [["foo"], ["bar"]]),
        ("\\bfoo\\b", [["foo"]]),
        ("((((foo))))", [["foo"]]),
        ("foo(?:|x)bar", [["foobar", "fooxbar"]])
    ])
    func `literals are found in Swift's patterns`(pattern: String, expected: [[String]]) {
        let found = literals(requirements(pattern)).map { Set($0) }
        #expect(Set(found) == Set(expected.map { Set($0) }))
    }

    @Test(arguments: [
        ("a{,3}b", "", [["a{,3}b"]]),
        ("x{y}", "", [["x{y}"]]),
        ("a]b", "i", [["a]b"]]),
        ("foo[^]bar", "", [["foo"], ["bar"]]),
        ("(?<=foo)bar", "i", [["bar"], ["foo"]]),
        ("(?<name>foo)\\k<name>", "u", [["foo"]]),
        ("f\\x6fo", "", [["foo"]]),
        ("f\\u{6f}o", "u", [["foo"]]),
        ("a\\/b", "i", [["a/b"]])
    ])
    func `literals are found in JavaScript's patterns`(pattern: String, flags: String, expected: [[String]]) {
        let found = literals(requirements(pattern, .javaScript(flags: flags), ignoresCase: false)).map { Set($0) }
        #expect(Set(found) == Set(expected.map { Set($0) }))
    }

    @Test func `single characters are required as bytes, case-sensitively`() {
        let requirements = requirements("\\b[A-Z]{2,}-\\d+\\b", ignoresCase: false)
        #expect(
            requirements.bytes == [
                ByteSet(ascii: "-"), .digits.union(.beyondASCII), ByteSet(UInt8(ascii: "A")...UInt8(ascii: "Z"))
            ])
        #expect(requirements.leastLength == 4)
        #expect(requirements.literals.isEmpty)
    }

    @Test func `bytes that the literals imply are left out`() {
        #expect(requirements("deploy").bytes.isEmpty)
        #expect(requirements("deploy", ignoresCase: false).bytes.count == 4)
        #expect(requirements("(\\w+)\\+\\+").bytes.isEmpty)
    }

    @Test(arguments: [
        ("^\\s*$", ByteSet.space.union(.beyondASCII)), ("^\\d+$", ByteSet.digits.union(.beyondASCII)),
        ("^$", ByteSet()), ("^[0-9]+$|^-$", ByteSet.digits.union(ByteSet(ascii: "-"))),
        ("\\A[ab]*\\z", ByteSet(ascii: "aAbB"))
    ])
    func `a pattern for the whole text limits its bytes`(pattern: String, expected: ByteSet) {
        #expect(requirements(pattern).only == expected)
    }

    @Test(arguments: ["\\d+$", "^\\d+", "^\\d|\\d$", "(?m:^\\d$)", "^[^a]$", "^\\w+$", "^a\\Z", "(?:^)?a$", "^(a)\\1$"])
    func `a pattern for a part of the text doesn't limit its bytes`(pattern: String) {
        #expect(requirements(pattern).only == nil)
    }

    @Test(arguments: [
        ("abc", 3), ("a|bcd", 1), ("a{3}b*", 3), ("(?:ab){2,5}", 4), ("\\w+", 1), ("", 0), ("e\\u0301", 1),
        ("\u{e9}", 1),
        ("(?:(?:a{1000}){1000}){1000}", 1_000_000), ("(?=abc)", 0), ("\\1", 0)
    ])
    func `the least length is that of the shortest match`(pattern: String, length: Int) {
        #expect(requirements(pattern).leastLength == length)
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[a", "*", "a**", "\\", "\\q", "(?", "(?i", "(?i:a", "(?z)a", "(*ACCEPT)a", "(?|a|b)",
        "(?~a)",
        "(?(1)a|b)", "(?C1)a", "(?#a)b", "\\Qab", "a{2", "a{2,1}", "\\N{X}", "\\K", "(e\u{301}(\u{301})", "(?x: a b)",
        "\\x", "\\u12", "\\p{L", "[a-\\d]", "[z-a]", "a{3}{2}", "e\u{301}"
    ])
    func `what can't be parsed has no tree and no requirements`(pattern: String) {
        #expect(RegexAST(pattern, dialect: .swift) == nil)
        #expect(requirements(pattern).isEmpty)
        #expect(requirements(pattern).admit("anything"))
    }

    @Test(arguments: [
        ("a", "q"), ("a", "uvw"), ("[a&&b]", "v"), ("[[a]b]", "v"), ("\\12", ""), ("\\ca[\\ca]", ""), ("(?i:a)", ""),
        ("\\u{41}", ""), ("\\p{L}", ""), ("a{2}{3}", "u"), ("(?>a)", ""), ("\\a", ""), ("\\k", ""), ("a++", "")
    ])
    func `what isn't certain in JavaScript has no tree`(pattern: String, flags: String) {
        #expect(RegexAST(pattern, dialect: .javaScript(flags: flags)) == nil)
    }

    @Test func `the work is limited for hostile patterns`() {
        let alternatives = (0..<1600).map { "word\($0)" }.joined(separator: "|")
        #expect(requirements(alternatives).literals.isEmpty)
        #expect(requirements((0..<8000).map { _ in "a" }.joined(separator: "|")).leastLength == 1)
        let choices = requirements(String(repeating: "(a|b)", count: 3000))
        #expect(choices.leastLength == 3000)
        #expect(choices.literals.allSatisfy { $0.count <= 32 } && choices.literals.count <= 8)
        #expect(requirements(String(repeating: "(", count: 64) + String(repeating: ")", count: 64)).isEmpty)
        #expect(
            RegexAST(String(repeating: "(", count: 5000) + String(repeating: ")", count: 5000), dialect: .swift)
                == nil)
        #expect(
            RegexAST(String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000), dialect: .swift)
                == nil)
        let nested = String(repeating: "(", count: 50) + "ab" + String(repeating: "){1000}", count: 50)
        #expect(requirements(nested).leastLength == 1_000_000)
        #expect(RegexAST(String(repeating: "a", count: 16_384), dialect: .swift) != nil)
        #expect(RegexAST(String(repeating: "a", count: 16_385), dialect: .swift) == nil)
        #expect(
            requirements(String(repeating: "a", count: 500)).literals.allSatisfy { $0.allSatisfy { $0.count <= 64 } })
        #expect(requirements("a{99999999999999999999}").leastLength == 1_000_000)
    }
}

struct `Regexes as text` {
    @Test func `a literal has its text, with the options around it`() {
        #expect(#/ab+/#.patternSource == "ab+")
        #expect(#/ab/#.ignoresCase().dotMatchesNewlines().patternSource == "(?s:(?i:ab))")
    }
}
