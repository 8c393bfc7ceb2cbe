/// The size of a terminal.
struct TerminalSize: Hashable, Sendable {
    var columns = 80
    var rows = 24
}

/// Draws the prompt and the line: returns the bytes to write to the terminal.
struct PromptRenderer: Sendable {
    /// The current size of the terminal.
    ///
    /// If the width has changed since the last drawing, the terminal has wrapped the shown text again.
    var size = TerminalSize()
    /// The text that the terminal shows, which may be a part of the line.
    private var shown: [Glyph] = []
    private var cursor = 0

    var isShowing: Bool { !shown.isEmpty }

    /// Replaces the shown text by the prompt and the line.
    ///
    /// If the line is taller than the screen, only the rows around the cursor are drawn.
    mutating func draw(prompt: [Glyph], _ line: EditBuffer) -> String {
        // A space at the end, so that the cursor is on a character whose position after wrapping is known.
        let glyphs = Self.glyphs(prompt, line) + CollectionOfOne(Glyph(" "))
        let place = prompt.count + line.cursor
        let (range, rows, layout) = window(glyphs, cursor: place)
        var bytes = erase()
        shown = Array(glyphs[range])
        cursor = place - range.lowerBound
        bytes += text(shown) + Self.move(up: rows.upperBound - 1 - layout.cursor.row) + "\r"
        if layout.cursor.column > 0 { bytes += "\u{1b}[\(layout.cursor.column)C" }
        return bytes
    }

    private static func glyphs(_ prompt: [Glyph], _ line: EditBuffer) -> [Glyph] {
        var glyphs = prompt
        glyphs.reserveCapacity(prompt.count + line.characters.count + 1)
        for character in line.characters { glyphs.append(Glyph(character)) }
        return glyphs
    }

    /// The part that fits on the screen, as glyphs and as rows of the layout.
    private func window(_ glyphs: [Glyph], cursor place: Int) -> (Range<Int>, rows: Range<Int>, TerminalLayout) {
        let layout = TerminalLayout(glyphs, cursor: place, width: size.columns)
        let height = min(max(size.rows - 1, 1), layout.rows.count)
        let top = min(max(layout.cursor.row - height / 2, 0), layout.rows.count - height)
        let end = top + height < layout.rows.count ? layout.rows[top + height] : glyphs.count
        return (layout.rows[top]..<end, top..<top + height, layout)
    }

    private func text(_ glyphs: some Sequence<Glyph>) -> String {
        String(glyphs.lazy.map { $0.width > size.columns ? "\u{fffd}" : $0.drawn })
    }

    /// Erases the shown text.
    ///
    /// The cursor is then at its beginning.
    mutating func erase() -> String {
        guard !shown.isEmpty else { return "\r" + Self.clear }
        let row = TerminalLayout(shown, cursor: cursor, width: size.columns).cursor.row
        forget()
        return Self.move(up: row) + "\r" + Self.clear
    }

    /// Replaces the shown text by lines that remain.
    mutating func print(_ text: String) -> String {
        var bytes = erase()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { bytes += line + "\r\n" }
        return bytes
    }

    /// Keeps the prompt and the line on the screen, and moves to the row below.
    ///
    /// - Parameter mark: A text to add after the line, such as `^C`.
    mutating func finish(prompt: [Glyph], _ line: EditBuffer, mark: String = "") -> String {
        let glyphs = Self.glyphs(prompt, line) + mark.glyphs
        let (range, _, _) = window(glyphs, cursor: max(glyphs.count - 1, 0))
        return erase() + text(glyphs[range]) + "\r\n"
    }

    /// Forgets the shown text, after the terminal was cleared.
    mutating func forget() {
        shown = []
        cursor = 0
    }

    /// Clears the row and those below.
    ///
    /// In two steps, since after a single one tmux keeps a copy of its topmost row.
    private static let clear = "\u{1b}[K\u{1b}7\u{1b}[B\u{1b}[J\u{1b}8"

    private static func move(up rows: Int) -> String {
        rows > 0 ? "\u{1b}[\(rows)A" : ""
    }
}

/// The layout of a text on a terminal's rows, with the position of the cursor.
struct TerminalLayout: Equatable, Sendable {
    struct Position: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    /// The index of each row's first glyph.
    private(set) var rows = [0]
    private(set) var cursor = Position(row: 0, column: 0)

    /// - Parameter place: The index of the glyph at the cursor.
    init(_ glyphs: some RandomAccessCollection<Glyph>, cursor place: Int, width: Int) {
        let width = max(width, 1)
        var column = 0
        var index = 0
        for glyph in glyphs {
            let columns = min(glyph.width, width)
            // A wide glyph that doesn't fit leaves the last column empty.
            if column + columns > width {
                rows.append(index)
                column = 0
            }
            if index == place { cursor = Position(row: rows.count - 1, column: min(column, width - 1)) }
            column += columns
            index += 1
        }
    }
}
