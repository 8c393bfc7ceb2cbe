/// Makes what servers say fit for a line of a log.
enum Words {
    /// One line of at most 300 scalars, without what isn't for reading.
    static func line(_ text: some StringProtocol) -> String {
        var line = String.UnicodeScalarView()
        // By scalars: a single character may consist of thousands.
        for scalar in text.unicodeScalars.prefix(1_000) where line.count < 300 {
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator: line.append(" ")
            case .control:
                if scalar.properties.isWhitespace { line.append(" ") }
            // Such as what turns the direction of reading round.
            case .format, .unassigned, .privateUse, .surrogate: break
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}
