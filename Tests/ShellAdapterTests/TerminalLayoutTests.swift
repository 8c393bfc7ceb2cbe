import Testing

@testable import ShellAdapter

@Suite struct TerminalLayoutTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("한", 2), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
            ("\u{301}", 0), ("\n", 1), ("\t", 1), ("\u{1b}", 1), ("\u{9b}", 1), ("ก็", 1)
        ] as [(Character, Int)])
    func `the width of characters`(_ character: Character, _ width: Int) {
        #expect(Glyph(character).width == width)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var cursor: Int
        var width: Int
        /// The index of the first glyph of each row.
        var rows: [Int]
        var row: Int
        var column: Int

        var testDescription: String { "\(text) at \(cursor) in \(width)" }

        init(_ text: String, _ cursor: Int, _ width: Int, _ rows: [Int], _ row: Int, _ column: Int) {
            (self.text, self.cursor, self.width) = (text, cursor, width)
            (self.rows, self.row, self.column) = (rows, row, column)
        }
    }

    @Test(arguments: [
        Case("abc ", 3, 1, [0, 1, 2, 3], 3, 0), Case("日 ", 0, 1, [0, 1], 0, 0), Case("日 ", 1, 1, [0, 1], 1, 0),
        Case("abc ", 3, 2, [0, 2], 1, 1), Case("a日b ", 1, 2, [0, 1, 2], 1, 0), Case("a日b ", 3, 2, [0, 1, 2], 2, 1),
        Case("ab日 ", 3, 5, [0], 0, 4), Case("abc日 ", 4, 5, [0, 4], 1, 0), Case("abcd日 ", 4, 5, [0, 4], 1, 0),
        Case("abcd日 ", 5, 5, [0, 4], 1, 2), Case("abcd日 ", 3, 5, [0, 4], 0, 3), Case("日本語 ", 2, 5, [0, 2], 1, 0),
        Case("abcde\u{301}f ", 5, 5, [0, 5], 1, 0), Case("a\nb ", 2, 20, [0], 0, 2), Case("a\nb ", 1, 20, [0], 0, 1),
        Case("Heybot> 0123456789ab ", 20, 20, [0, 20], 1, 0), Case("Heybot> 0123456789a ", 19, 20, [0], 0, 19),
        Case("Heybot> 0123456789a日 ", 19, 20, [0, 19], 1, 0), Case("Heybot> 👩‍👩‍👧x ", 9, 80, [0], 0, 10),
        Case(" ", 0, 80, [0], 0, 0)
    ])
    func `the layout matches a terminal's`(_ test: Case) {
        let layout = TerminalLayout(test.text.glyphs, cursor: test.cursor, width: test.width)
        #expect(layout.rows == test.rows)
        #expect(layout.cursor == TerminalLayout.Position(row: test.row, column: test.column))
    }

    @Test(arguments: [
        ("plain é日\n\t", "plain é日\n\t"), ("\u{1b}[31mred\u{1b}[0m", "␛[31mred␛[0m"), ("a\rb\u{07}\u{7f}", "a␍b␇␡"),
        ("a\r\nb", "a\nb"), ("\u{9b}31m\u{85}", "\u{fffd}31m\u{fffd}"), ("\u{0}", "␀")
    ])
    func `control sequences are replaced`(_ text: String, _ shown: String) {
        #expect(TerminalSanitizer.safe(text) == shown)
    }

    @Test(arguments: [
        ("\u{1b}[31;1mred", "\u{1b}[31;1mred\u{1b}[0m"), ("\u{1b}[mx", "\u{1b}[mx\u{1b}[0m"), ("\u{1b}[2J", "␛[2J"),
        ("\u{1b}[31", "␛[31"), ("\u{1b}]0;x\u{07}", "␛]0;x␇"), ("\u{1b}\u{1b}[1m", "␛\u{1b}[1m\u{1b}[0m"),
        ("a\tb", "a\tb"),
        ("\u{1b}[>4;1m", "␛[>4;1m"), ("\u{1b}[38:5:1m", "␛[38:5:1m")
    ])
    func `log lines may contain colors only`(_ text: String, _ shown: String) {
        #expect(TerminalSanitizer.safe(text, keepsColors: true) == shown)
    }
}
