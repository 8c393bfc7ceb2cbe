@testable import ShellAdapter

/// A terminal emulator with the control sequences that the editor uses.
struct TerminalEmulator {
    private struct Row {
        /// The cells: a wide character is followed by an empty one, and nil is a cell that wasn't written.
        var cells: [Character?] = []
        /// Whether the text wraps into the next row.
        var isWrapped = false
    }

    private(set) var width: Int
    private let height: Int
    /// All rows, including those that scrolled off the top.
    private var rows = [Row()]
    private var row = 0
    private var column = 0
    private var saved = (row: 0, column: 0)
    /// Whether the row is full, so that the next character wraps.
    private var isPending = false
    private(set) var bells = 0

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
    }

    private var top: Int { max(rows.count - height, 0) }
    var cursor: TerminalLayout.Position { TerminalLayout.Position(row: row, column: column) }

    /// The rows as text, without trailing spaces.
    var text: [String] {
        rows.map { row in
            let text = String(row.cells.map { $0 ?? " " }.filter { $0 != "\0" })
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    mutating func feed(_ text: String) {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\u{7}": bells += 1
            case "\r": (column, isPending) = (0, false)
            case "\r\n":
                (column, isPending) = (0, false)
                moveDown()
            case "\u{1b}": obey(&rest)
            default: put(character)
            }
        }
    }

    private mutating func obey(_ rest: inout Substring) {
        switch rest.popFirst() {
        case "7": saved = (row, column)
        case "8": (row, column, isPending) = (saved.row, saved.column, false)
        case "[":
            let parameters = rest.prefix { !$0.isLetter }
            rest = rest.dropFirst(parameters.count)
            let count = Int(parameters) ?? 1
            switch rest.popFirst() {
            case "A": (row, isPending) = (max(row - count, top), false)
            case "B": (row, isPending) = (min(row + count, rows.count - 1), false)
            case "C": (column, isPending) = (min(column + count, width - 1), false)
            case "J":
                clearRow()
                for below in rows.indices.dropFirst(row + 1) { rows[below] = Row() }
            case "K": clearRow()
            case "m", "h", "l": break
            default: preconditionFailure("a sequence that isn't known")
            }
        default: preconditionFailure("a sequence that isn't known")
        }
    }

    private mutating func clearRow() {
        rows[row].cells = Array(rows[row].cells.prefix(column))
        rows[row].isWrapped = false
    }

    private mutating func moveDown() {
        row += 1
        if row == rows.count { rows.append(Row()) }
    }

    private mutating func put(_ character: Character) {
        let columns = min(Glyph(character).width, width)
        guard columns > 0 else { return }
        if isPending || column + columns > width {
            rows[row].isWrapped = true
            (column, isPending) = (0, false)
            moveDown()
        }
        while rows[row].cells.count < column + columns { rows[row].cells.append(nil) }
        rows[row].cells[column] = character
        if columns == 2 { rows[row].cells[column + 1] = "\0" }
        column += columns
        if column == width { (column, isPending) = (width - 1, true) }
    }

    /// Wraps the rows for a new width; the cursor stays on its character.
    mutating func resize(to width: Int) {
        let (old, place) = (rows, (row: row, column: column))
        self = TerminalEmulator(width: width, height: height)
        var cursor: (row: Int, column: Int)?
        for (index, line) in old.enumerated() {
            var cells = line.cells
            if index == place.row {
                while cells.count <= place.column { cells.append(nil) }
            }
            for (offset, cell) in cells.enumerated() where cell != "\0" {
                put(cell ?? "\u{a0}")
                if cell == nil { rows[row].cells[rows[row].cells.count - 1] = nil }
                let start = isPending ? width - 1 : column - 1
                if index == place.row, offset == place.column {
                    cursor = (
                        row,
                        max(cell.map { Glyph($0).width } == 2 && width > 1 ? start - (isPending ? 1 : 1) : start, 0)
                    )
                }
            }
            if index < old.count - 1, !line.isWrapped {
                (column, isPending) = (0, false)
                moveDown()
            }
        }
        if let cursor { (row, column, isPending) = (cursor.row, cursor.column, false) }
    }
}
