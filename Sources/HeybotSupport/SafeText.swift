/// Makes text from elsewhere fit for a terminal, a log, a page or a chat.
///
/// There is one idea of what can do harm there, ``Kind``; what stands in its place depends on where the text goes.
package enum SafeText {
    /// What a scalar does to what stands around it.
    package enum Kind: Hashable, Sendable {
        /// It is seen, or shapes what stands beside it, as joiners do in emoji and in Persian.
        case visible
        /// A tab, or the end of a line or a paragraph.
        case lineBreak
        /// A control character, which a terminal may obey.
        case control
        /// It turns the direction of what follows (Unicode Standard Annex 9), or ends what turns it.
        case direction
        /// It can't be seen: a mark for formatting, no character at all, or one that each font shows as it likes.
        case hidden
    }

    /// The kind of a scalar.
    package static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x20..<0x7f: return .visible
        case 0x09...0x0d, 0x85, 0x2028, 0x2029: return .lineBreak
        case 0..<0x20, 0x7f..<0xa0: return .control
        case 0x202a...0x202e, 0x2066...0x2069: return .direction
        case 0x200c, 0x200d, 0xfe00...0xfe0f: return .visible
        default:
            let properties = scalar.properties
            switch properties.generalCategory {
            case .format, .privateUse, .unassigned: return .hidden
            default: return properties.isDefaultIgnorableCodePoint ? .hidden : .visible
            }
        }
    }

    /// What shows a scalar that would do harm: a picture of a control character, U+FFFD for what turns directions; nil for any
    /// other.
    package static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch kind(of: scalar) {
        case .visible, .hidden: nil
        case .direction: "\u{fffd}"
        case .control, .lineBreak:
            switch scalar.value {
            case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value)
            case 0x7f: "\u{2421}"
            case 0x80..<0xa0: "\u{fffd}"
            default: nil
            }
        }
    }

    /// One line, with a space for each scalar that would do harm.
    package static func line(_ text: some StringProtocol) -> String {
        map(text) { scalar, kind in kind == .visible || kind == .hidden ? scalar : " " }
    }

    /// One line, with pictures of control characters.
    package static func pictured(_ text: some StringProtocol) -> String {
        map(text) { scalar, kind in kind == .lineBreak ? " " : picture(of: scalar) ?? scalar }
    }

    /// One line of what can be seen, without all else.
    ///
    /// - Parameters:
    ///   - limit: How many scalars it may have; no more than ten times as many are looked at.
    ///   - lineBreak: What stands for a tab and the end of a line or a paragraph; nil for nothing.
    package static func visible(
        _ text: some StringProtocol, limit: Int, lineBreak: Unicode.Scalar? = " "
    ) -> String {
        var line = String.UnicodeScalarView()
        // By scalars: a single character may consist of thousands.
        for scalar in text.unicodeScalars.prefix(limit * 10) where line.count < limit {
            switch kind(of: scalar) {
            case .visible: line.append(scalar)
            case .lineBreak: if let lineBreak { line.append(lineBreak) }
            case .control, .direction, .hidden: break
            }
        }
        return String(line)
    }

    private static func map(
        _ text: some StringProtocol, _ change: (Unicode.Scalar, Kind) -> Unicode.Scalar
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(change(scalar, kind(of: scalar))) }
        return String(result)
    }

    /// As HTML shows it.
    ///
    /// By scalars: to Swift, `<` with an accent is another character, to a browser it isn't.
    ///
    /// - Parameter isInQuotes: Whether it may stand in the quotes of an attribute, and not only between tags.
    package static func html(_ text: some StringProtocol, isInQuotes: Bool = true) -> String {
        var html = ""
        html.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"" where isInQuotes: html += "&quot;"
            case "'" where isInQuotes: html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }
}
