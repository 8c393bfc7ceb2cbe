import HeybotIRC
import HeybotTesting
import TestServers
import Testing

@Suite struct OutgoingTextSplitterTests {
    @Test(arguments: [
        ("", 10, []), ("\r\n\n", 10, []), ("hello", 10, ["hello"]), ("a\nb\r\nc\rd", 10, ["a", "b", "c", "d"]),
        ("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f", 10, ["a", "b", "c", "d", "e", "f"]), ("a\u{0}b", 10, ["ab"]),
        (" \n  a \n\t", 10, ["  a "]), ("hello world", 5, ["hello", "world"]), ("hello world", 6, ["hello", "world"]),
        ("hello world", 10, ["hello", "world"]), ("hello world", 11, ["hello world"]),
        ("hello   world", 7, ["hello", "world"]), ("a bb ccc", 4, ["a bb", "ccc"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a      b", 4, ["a", "b"]), ("a    bcd", 4, ["a", "bcd"]),
        ("a abcdefgh", 4, ["a", "abcd", "efgh"]), ("hello ", 5, ["hello"]), ("      ab", 4, ["ab"]),
        ("日本語日本語", 7, ["日本", "語日", "本語"]), ("日本　語日", 10, ["日本", "語日"]),
        ("ee\u{301}e\u{301}", 4, ["ee\u{301}", "e\u{301}"]), ("  abc", 4, ["abc"]),
        ("🇩🇪🇫🇷🇮🇹", 20, ["🇩🇪🇫🇷", "🇮🇹"]), ("ab👩‍👩‍👧cd", 18, ["ab", "👩‍👩‍👧", "cd"]), ("👩‍👩‍👧", 8, ["👩\u{200d}", "👩\u{200d}", "👧"]),
        ("a \u{301}b", 4, ["a \u{301}", "b"]), ("abcdef", 0, ["abcd", "ef"]), ("😀😀", 4, ["😀", "😀"])
    ])
    func `lines fit`(_ text: String, _ limit: Int, _ lines: [String]) {
        let found = OutgoingTextSplitter.lines(of: text, limit: limit)
        #expect(found.map { Array($0.utf8) } == lines.map { Array($0.utf8) }, "\(found)")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no text is lost, and no character split`(_ seed: UInt64) throws {
        let pieces = [
            "a", "word", "longerword", " ", " ", "  ", "\t", "\n", "\r\n", "é", "e\u{301}\u{302}", "日本語", "。",
            "👩‍👩‍👧‍👦", "🇩🇪", "🇫🇷", "👍🏽", "한국", "ก็", "\u{301}", "\u{200d}", "क्षि", "\u{1}", "😀", "\u{0}", "\u{3000}", "\u{2028}"
        ]
        var random = SeededGenerator(seed: seed)
        var compared = 0
        for _ in 0..<2000 {
            let text = (0..<random.below(30)).map { _ in random.pick(pieces) }.joined()
            let limit = 4 + random.below(60)
            let lines = OutgoingTextSplitter.lines(of: text, limit: limit)
            for line in lines {
                try #require(line.utf8.count <= limit, "\(text.debugDescription) in \(limit)")
                try #require(line.contains { !Self.isSpace($0) }, "\(text.debugDescription) in \(limit)")
                try #require(!line.unicodeScalars.contains(where: Self.isBreak), "\(text.debugDescription) in \(limit)")
            }
            try #require(Self.scalars(lines.joined()) == Self.scalars(text), "\(text.debugDescription) in \(limit)")
            // If all characters fit, they are those of the text's lines.
            let whole = Self.characters(Self.lines(text))
            if whole.allSatisfy({ $0.utf8.count <= limit }) {
                try #require(Self.characters(lines) == whole, "\(text.debugDescription) in \(limit)")
                compared += 1
            }
        }
        #expect(compared > 1000)
    }

    @Test func `a word that fits isn't split`() {
        let words = (1...200).map { "word\($0)" }
        let lines = OutgoingTextSplitter.lines(of: words.joined(separator: " "), limit: 40)
        #expect(lines.flatMap { $0.split(separator: " ").map(String.init) } == words)
        // Lines are as full as possible.
        for (line, next) in zip(lines, lines.dropFirst()) {
            #expect(line.utf8.count + 1 + next.prefix { $0 != " " }.utf8.count > 40)
        }
    }

    @Test(.timeLimit(.minutes(15))) func `no text takes quadratic time`() {
        let marks = "e" + String(repeating: "\u{301}", count: 30_000)
        #expect(OutgoingTextSplitter.lines(of: marks, limit: 400).joined().utf8.count == 60_001)
        let spaces = String(repeating: " ", count: 30_000) + "x"
        #expect(OutgoingTextSplitter.lines(of: spaces, limit: 400) == ["x"])
        #expect(OutgoingTextSplitter.lines(of: String(repeating: "ab ", count: 10_000), limit: 4).count == 10_000)
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        "\n\r\u{2028}\u{0}".unicodeScalars.contains(scalar)
    }

    private static func isSpace(_ character: Character) -> Bool { " \t\u{3000}".contains(character) }

    /// What must be preserved: everything except spaces, line breaks and NUL.
    private static func scalars(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !isBreak($0) && !" \t\u{3000}".unicodeScalars.contains($0) }
    }

    private static func lines(_ text: String) -> [String] {
        text.unicodeScalars.filter { $0 != "\u{0}" }.split(whereSeparator: isBreak).map { String(Substring($0)) }
    }

    private static func characters(_ lines: [String]) -> [Character] {
        lines.flatMap { Array($0) }.filter { !isSpace($0) }
    }
}
