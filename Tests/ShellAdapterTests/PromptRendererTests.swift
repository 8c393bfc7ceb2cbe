import HeybotTesting
import Testing

@testable import ShellAdapter

@Suite struct PromptRendererTests {
    private static let keys: [Key] = [
        .text("a"), .text("hello world "), .text("日本"), .text("e\u{301}"), .text("\u{301}"), .text("👩‍👩‍👧"), .text("x y"),
        .paste("one\ntwo\tthree\n"), .paste(String(repeating: "0123456789", count: 6)), .left, .left, .right, .home,
        .end,
        .wordLeft, .wordRight, .backspace, .delete, .control("t"), .control("w"), .control("k"), .control("y"),
        .control("u"), .up, .down, .control("r"), .control("g"), .escape
    ]
    private static let messages = ["PONG", "日本語のメッセージ", "two\nlines", "", String(repeating: "wide and long ", count: 8)]

    @Test(arguments: [1, 2, 3, 5, 20, 80], [1, 2, 3, 4, 5])
    func `prompt, line and cursor are drawn correctly after random operations`(_ width: Int, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var terminal = TerminalEmulator(width: width, height: 10_000)
        var screen = PromptRenderer()
        screen.size = TerminalSize(columns: width, rows: 10_000)
        var editor = LineEditor(history: History(size: 10, ["first line", "日本語 and more"]))
        var above: [String] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            // A single column can't show wide characters.
            case 0 where width > 1:
                screen.size.columns = Int.random(in: max(width / 2, 2)...width * 2, using: &random)
                terminal.resize(to: screen.size.columns)
            case 1:
                let message = Self.messages[Int.random(in: 0..<Self.messages.count, using: &random)]
                terminal.feed(screen.print(message))
                above += message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            case 2:
                let prompt = editor.prompt("Böt> ").glyphs
                terminal.feed(screen.finish(prompt: prompt, editor.line))
                above.append(drawn(prompt + editor.line.text.glyphs, terminal.width))
                editor.begin()
            default:
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    _ = editor.press(Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)])
                }
            }
            let prompt = editor.prompt("Böt> ").glyphs
            terminal.feed(screen.draw(prompt: prompt, editor.line))

            let glyphs = prompt + editor.line.text.glyphs
            let said = above.flatMap { rows($0, terminal.width) }
            let expected = trimmed(said + rows(drawn(glyphs, terminal.width), terminal.width))
            if let row = difference(trimmed(terminal.text), expected) {
                Issue.record("row \(row) of \(terminal.width): \(terminal.text.dropFirst(row).first ?? "no such row")")
                return
            }
            let layout = TerminalLayout(
                glyphs + [Glyph(" ")], cursor: prompt.count + editor.line.cursor, width: terminal.width)
            #expect(terminal.cursor.column == layout.cursor.column)
            #expect(terminal.cursor.row == said.count + layout.cursor.row)
        }
    }

    @Test func `of a tall line the rows around the cursor are shown`() {
        var terminal = TerminalEmulator(width: 80, height: 24)
        var screen = PromptRenderer()
        terminal.feed(screen.print("above"))
        var line = EditBuffer((0..<1_000).map { "word \($0) " }.joined())
        for _ in 0..<3 { terminal.feed(screen.draw(prompt: "Bot> ".glyphs, line)) }
        #expect(terminal.text.count == 24)
        #expect(terminal.text[0] == "above")
        #expect(terminal.text[23].hasSuffix("word 999"))
        line.move(to: 0)
        terminal.feed(screen.draw(prompt: "Bot> ".glyphs, line))
        #expect(terminal.text[1].hasPrefix("Bot> word 0 word 1"))
        #expect(terminal.cursor == TerminalLayout.Position(row: 1, column: 5))
        line.move(to: 5_000)
        terminal.feed(screen.draw(prompt: "Bot> ".glyphs, line))
        #expect(terminal.text[0] == "above")
        #expect(terminal.text.count == 24)
        #expect(terminal.cursor == TerminalLayout.Position(row: 12, column: 5_005 % 80))
        terminal.feed(screen.print("below"))
        #expect(terminal.text.prefix(2) == ["above", "below"])
        #expect(trimmed(terminal.text).count == 2)
    }

    /// Returns the text of the glyphs, without wide ones in a single column.
    private func drawn(_ glyphs: [Glyph], _ width: Int) -> String {
        String(glyphs.map { $0.width > width ? "\u{fffd}" : $0.drawn })
    }

    /// Returns the rows of a text without a prompt.
    private func rows(_ text: String, _ width: Int) -> [String] {
        var terminal = TerminalEmulator(width: width, height: 1_000)
        terminal.feed(text)
        return terminal.text
    }

    private func trimmed(_ rows: [String]) -> [String] {
        rows.last?.isEmpty == true ? trimmed(rows.dropLast()) : rows
    }

    private func difference(_ rows: [String], _ others: [String]) -> Int? {
        zip(rows, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? (rows.count == others.count ? nil : min(rows.count, others.count))
    }
}
