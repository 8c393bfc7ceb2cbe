/// Breaks lines between words, if the terminal would break them anywhere.
enum WordWrap {
    /// What stands before the rest of a line.
    private static let indentation = "  "

    /// The text, its lines broken so that they fit.
    ///
    /// A line stays as it is if it fits, and if it has a tab or is indented itself, as code is. A word that is
    /// longer than a row stays whole, for what it may be copied to.
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
