import TestServers
import Testing

@testable import Heybot

/// Patterns whose text can stand for their regex.
struct `Plain patterns` {
    @Test(arguments: [
        "deploy", "^(?:re)?deploy (\\w+)(?: to (\\w+))?$", "(?<app>[a-z0-9_]+)\\+\\+", "\\bship\\s+it\\b", "a|b|",
        "[^.?!]{2,5}?", "(?=.*a)(?!b).", "(?>a+)b", "#\\d+\\n", "a\\/b", "[\\w.]+@[^\\s@]+", "x{1000}",
        "\"<a>\" 'b' & ~ ` ;"
    ])
    func `the usual syntax is plain`(pattern: String) throws {
        #expect(try #require(ParsedPattern(pattern, dialect: .swift)).isPlain)
        let printed = try #require(try Regex(pattern).patternSource)
        #expect(ParsedPattern(printed, dialect: .swift)?.isPlain == true)
    }

    @Test(arguments: [
        "\\Qa\\E", "(a)\\1", "(?<a>b)\\k<a>", "(?i)a", "(?i:a)", "(?x: a )", "(a){0}", "[a&&b]", "[[a]b]",
        "[[:alpha:]]", "[]",
        "[^]", "[]a]", "[-a]", "[a-]", "[a--b]", "[.-/]", "[\\b]", "[\\Qa\\E]", "[\\R]", "(?<=a)b", "(?<!a)b", "^*",
        "$+", "\\b?", "(?:^)*", "(?=a)*", "()?", "\u{e9}", "\t", "\\u0041", "\\U00000041", "\\p{L}", "\\h", "\\A",
        "\\Z", "\\R", "a{1001}", "a{1,1001}", "<{2}", "<{2}>", "(?<a>b)(?<a>c)", "(?<1>b)", "(?#a)"
    ])
    func `rare syntax isn't plain`(pattern: String) {
        #expect(ParsedPattern(pattern, dialect: .swift)?.isPlain != true)
    }

    @Test func `deeply nested groups aren't plain`() {
        let nested = String(repeating: "(", count: 40) + String(repeating: ")", count: 40)
        #expect(ParsedPattern(nested, dialect: .swift)?.isPlain == false)
    }

    @Test func `named classes of any length aren't plain`() {
        let name = String(repeating: "a", count: 100)
        #expect(ParsedPattern("[:\(name):]", dialect: .swift)?.isPlain != true)
    }

    @Test func `JavaScript's patterns aren't plain`() {
        #expect(ParsedPattern("deploy", dialect: .javaScript(flags: ""))?.isPlain == false)
    }

    @Test(arguments: [
        ("a", "S"), ("(a)", "(S, S)"), ("(a)?(?<b>c)", "(S, O, b: S)"), ("(?:(a)|b(c))d(e)", "(S, O, O, S)"),
        ("((a)b){0,2}", "(S, O, O)"), ("((a)b){1,2}", "(S, S, S)"), ("(?=(a))((b)+)", "(S, S, S, S)")
    ])
    func `the output's type is known`(pattern: String, expected: String) throws {
        let name = try #require(ParsedPattern(pattern, dialect: .swift)).outputName
        let short = name.replacing("Swift.Optional<Swift.Substring>", with: "O").replacing("Swift.Substring", with: "S")
        #expect(short == expected)
    }

    @Test func `the output's type is that of the regex`() throws {
        let pattern = try #require(ParsedPattern("(a)?(?<b>c)", dialect: .swift))
        #expect(pattern.isCertain(as: (Substring, Substring?, b: Substring).self))
        #expect(pattern.isCertain(as: AnyRegexOutput.self))
        #expect(!pattern.isCertain(as: (Substring, Substring?, Substring).self))
        #expect(!pattern.isCertain(as: (Substring, Substring, b: Substring).self))
        #expect(!pattern.isCertain(as: Substring.self))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Swift accepts a random plain pattern, prints it unchanged, and finds the same matches`(seed: UInt64) {
        var generator = PatternGenerator(seed: seed)
        var (plain, matched) = (0, 0)
        var mismatches: [String] = []
        for _ in 0..<5_000 {
            let source = generator.pattern()
            let original = try? Regex(source)
            if ParsedPattern(source, dialect: .swift)?.isPlain == true, original == nil {
                mismatches.append("Swift rejects \(source)")
            }
            guard let original, let text = original.patternSource,
                let parsed = ParsedPattern(text, dialect: .swift), parsed.isPlain
            else { continue }
            plain += 1
            guard let again = try? Regex(text) else {
                mismatches.append("Swift rejects \(text), printed for \(source)")
                continue
            }
            if again.patternSource != text { mismatches.append("\(again.patternSource ?? "nil"), not \(text)") }
            for _ in 0..<6 {
                let message = generator.message(near: source)
                let expected = (try? original.firstMatch(in: message))?.output
                let found = (try? again.firstMatch(in: message))?.output
                if Self.description(expected) != Self.description(found) {
                    mismatches.append("\(source) and \(text) differ on \(message.debugDescription)")
                }
                guard let expected else { continue }
                matched += 1
                if Self.typeName(expected) != parsed.outputName {
                    mismatches.append("\(text): \(parsed.outputName), not \(Self.typeName(expected))")
                }
            }
        }
        #expect(mismatches.prefix(10) == [])
        #expect(plain > 500)
        #expect(matched > 500)
    }

    private static func description(_ output: AnyRegexOutput?) -> [String]? {
        output.map { $0.map { element in element.substring.map { "\($0) at \($0.startIndex)" } ?? "nil" } }
    }

    private static func typeName(_ output: AnyRegexOutput) -> String {
        let names = output.map { element in
            (element.name.map { "\($0): " } ?? "") + _typeName(element.type, qualified: true)
        }
        return names.count == 1 ? names[0] : "(" + names.joined(separator: ", ") + ")"
    }
}
