/// How large a terminal is.
struct ScreenSize: Hashable, Sendable {
    var columns = 80
    var rows = 24
}

/// The prompt and the line on a terminal: gives the bytes that change what it shows.
struct Screen: Sendable {
    /// How large it is now.
    ///
    /// What is shown was perhaps drawn in another width: a terminal wraps it again then.
    var size = ScreenSize()
    /// What the terminal shows, which is all or a part of what was to be drawn.
    private var shown: [Glyph] = []
    private var cursor = 0

    var isShowing: Bool { !shown.isEmpty }

    /// Draws the prompt and the line in place of what is shown.
    ///
    /// Of a line that is taller than the screen, those rows around the cursor.
    mutating func draw(prompt: [Glyph], _ line: Line) -> String {
        // The cursor stands on something also at the end: so it's clear if a new width takes it.
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

    private static func glyphs(_ prompt: [Glyph], _ line: Line) -> [Glyph] {
        var glyphs = prompt
        glyphs.reserveCapacity(prompt.count + line.characters.count + 1)
        for character in line.characters { glyphs.append(Glyph(character)) }
        return glyphs
    }

    /// What there is room for, as glyphs and as rows of the layout.
    private func window(_ glyphs: [Glyph], cursor place: Int) -> (Range<Int>, rows: Range<Int>, Layout) {
        let layout = Layout(glyphs, cursor: place, width: size.columns)
        let height = min(max(size.rows - 1, 1), layout.rows.count)
        let top = min(max(layout.cursor.row - height / 2, 0), layout.rows.count - height)
        let end = top + height < layout.rows.count ? layout.rows[top + height] : glyphs.count
        return (layout.rows[top]..<end, top..<top + height, layout)
    }

    private func text(_ glyphs: some Sequence<Glyph>) -> String {
        String(glyphs.lazy.map { $0.width > size.columns ? "\u{fffd}" : $0.drawn })
    }

    /// Takes away what is shown; the cursor is then where it began.
    mutating func erase() -> String {
        guard !shown.isEmpty else { return "\r" + Self.clear }
        let row = Layout(shown, cursor: cursor, width: size.columns).cursor.row
        forget()
        return Self.move(up: row) + "\r" + Self.clear
    }

    /// Prints lines for good, in place of what is shown.
    mutating func print(_ text: String) -> String {
        var bytes = erase()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { bytes += line + "\r\n" }
        return bytes
    }

    /// Leaves the prompt and the line where they are, and goes on below.
    ///
    /// - Parameter mark: What is put behind the line, as `^C`.
    mutating func finish(prompt: [Glyph], _ line: Line, mark: String = "") -> String {
        let glyphs = Self.glyphs(prompt, line) + mark.glyphs
        let (range, _, _) = window(glyphs, cursor: max(glyphs.count - 1, 0))
        return erase() + text(glyphs[range]) + "\r\n"
    }

    /// Nothing of it is on the terminal any more.
    mutating func forget() {
        shown = []
        cursor = 0
    }

    /// Clears the row and those below: not in one, since tmux then keeps a copy of what was in its topmost row.
    private static let clear = "\u{1b}[K\u{1b}7\u{1b}[B\u{1b}[J\u{1b}8"

    private static func move(up rows: Int) -> String {
        rows > 0 ? "\u{1b}[\(rows)A" : ""
    }
}

/// Where on a terminal's rows a text and its cursor come to be.
struct Layout: Equatable, Sendable {
    struct Place: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    /// With which glyph each row begins.
    private(set) var rows = [0]
    private(set) var cursor = Place(row: 0, column: 0)

    /// - Parameter cursor: On which glyph the cursor stands.
    init(_ glyphs: some RandomAccessCollection<Glyph>, cursor place: Int, width: Int) {
        let width = max(width, 1)
        var column = 0
        var index = 0
        for glyph in glyphs {
            let columns = min(glyph.width, width)
            // A wide one that doesn't fit any more leaves the last column free.
            if column + columns > width {
                rows.append(index)
                column = 0
            }
            if index == place { cursor = Place(row: rows.count - 1, column: min(column, width - 1)) }
            column += columns
            index += 1
        }
    }
}
