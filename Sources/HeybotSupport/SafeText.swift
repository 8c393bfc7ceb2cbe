/// Makes untrusted text safe for a terminal, a log, a web page or a chat.
///
/// ``ScalarKind`` defines which scalars are harmful. What replaces them depends on the destination.
package enum SafeText {
    /// The effect of a scalar on the text around it.
    package enum ScalarKind: Hashable, Sendable {
        /// It is visible, or shapes its neighbours, as joiners do in emoji and in Persian.
        case visible
        /// A tab, or the end of a line or a paragraph.
        case lineBreak
        /// A control character, which a terminal may interpret.
        case control
        /// It changes the direction of the text, or ends such a change (Unicode Standard Annex 9).
        case direction
        /// It is invisible or undefined: a format character, an unassigned one, or one for private use.
        case hidden
    }

    /// The kind of a scalar.
    package static func kind(of scalar: Unicode.Scalar) -> ScalarKind {
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

    /// A visible replacement for a harmful scalar: a control picture, or U+FFFD for a change of direction; nil for other scalars.
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

    /// The text as one line, with a space in place of each harmful scalar.
    package static func line(_ text: some StringProtocol) -> String {
        map(text) { scalar, kind in kind == .visible || kind == .hidden ? scalar : " " }
    }

    /// The text as one line, with control pictures in place of control characters.
    package static func pictured(_ text: some StringProtocol) -> String {
        map(text) { scalar, kind in kind == .lineBreak ? " " : picture(of: scalar) ?? scalar }
    }

    /// The visible scalars of the text, as one line.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of scalars to return. At most ten times as many are examined.
    ///   - lineBreak: The replacement for a tab and the end of a line or a paragraph; nil to remove them.
    package static func visible(
        _ text: some StringProtocol, limit: Int, lineBreak: Unicode.Scalar? = " "
    ) -> String {
        var line = String.UnicodeScalarView()
        // By scalars, because a single character may consist of thousands.
        for scalar in text.unicodeScalars.prefix(limit * 10) where line.count < limit {
            switch kind(of: scalar) {
            case .visible: line.append(scalar)
            case .lineBreak: if let lineBreak { line.append(lineBreak) }
            case .control, .direction, .hidden: break
            }
        }
        return String(line)
    }

    /// The text as the name of a file: visible, in one line, and with underscores in place of what separates folders.
    ///
    /// - Returns: Nil if nothing is left, or only dots. The name has at most 200 bytes.
    package static func fileName(_ text: some StringProtocol) -> String? {
        var (name, count) = (String.UnicodeScalarView(), 0)
        for scalar in visible(text, limit: 200).unicodeScalars {
            count += UTF8.width(scalar)
            if count > 200 { break }
            name.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
        }
        return name.allSatisfy { $0 == "." || $0 == " " } ? nil : String(name)
    }

    /// Returns a media type without its parameters; nil if it is invalid.
    package static func mediaType(_ text: String) -> String? {
        let type = text.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let parts = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard type.count <= 127, parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isTypeByte) })
        else { return nil }
        return String(Substring(type))
    }

    /// Whether a byte may be in the name of a media type (RFC 6838 section 4.2).
    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&^_.+-".utf8.contains(byte)
        }
    }

    private static func map(
        _ text: some StringProtocol, _ change: (Unicode.Scalar, ScalarKind) -> Unicode.Scalar
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(change(scalar, kind(of: scalar))) }
        return String(result)
    }

    /// The text escaped for HTML.
    ///
    /// It works by scalars: in Swift, `<` with a combining accent is another character, but not in a browser.
    ///
    /// - Parameter isInQuotes: Whether the text may be used in a quoted attribute, and not only between tags.
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
