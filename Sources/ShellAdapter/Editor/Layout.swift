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
