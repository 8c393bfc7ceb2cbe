/// Breaks long lines between words.
enum WordWrap {
    /// The indentation of continuation lines.
    private static let indentation = "  "

    /// Returns the text with its lines broken to fit the width.
    ///
    /// A line with a tab or an indentation stays unchanged, since it may be code. A word that is longer than a row stays
    /// whole, so that it can be copied.
    static func text(_ text: String, columns: Int) -> String {
        guard columns > 20, text.utf8.count > columns else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line($0, columns) }.joined(separator: "\n")
    }

    private static func line(_ line: Substring, _ columns: Int) -> String {
        guard line.utf8.count > columns, line.first != " ", !line.contains("\t"), line.columns > columns else {
            return String(line)
        }
        var rows: [String] = []
        var row = ""
        var width = 0
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let wordWidth = word.columns
            if width > 0, width + 1 + wordWidth > columns {
                while row.last == " " { row.removeLast() }
                rows.append(row)
                row = indentation
                width = indentation.count
            } else if width > 0 {
                row += " "
                width += 1
            }
            row += word
            width += wordWidth
        }
        return (rows + [row]).joined(separator: "\n")
    }
}
