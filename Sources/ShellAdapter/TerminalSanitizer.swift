import HeybotSupport

/// Makes text safe for a terminal.
enum TerminalSanitizer {
    /// Returns the text with visible pictures in place of control characters, except for newlines and tabs.
    ///
    /// - Parameter keepsColors: Whether to keep `ESC [ numbers m`. Colors are then reset at the end of the text.
    static func safe(_ text: String, keepsColors: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0a || $0 == 0x7f || $0 == 0xc2 || $0 == 0xe2 }) else {
            return text
        }
        var safe = String.UnicodeScalarView()
        var hasColors = false
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if keepsColors, let end = endOfColor(rest) {
                safe.append(contentsOf: rest[..<end])
                rest = rest[end...]
                hasColors = true
                continue
            }
            rest.removeFirst()
            switch scalar {
            case "\n", "\t": safe.append(scalar)
            case "\r" where rest.first == "\n": break
            default: safe.append(SafeText.picture(of: scalar) ?? scalar)
            }
        }
        if hasColors { safe.append(contentsOf: "\u{1b}[0m".unicodeScalars) }
        return String(safe)
    }

    /// The end of `ESC [ numbers m` at the beginning of the text; nil if it doesn't begin so.
    private static func endOfColor(_ text: Substring.UnicodeScalarView) -> String.Index? {
        guard text.starts(with: "\u{1b}[".unicodeScalars) else { return nil }
        let rest = text.dropFirst(2).drop { ("0"..."9").contains($0) || $0 == ";" }
        return rest.first == "m" ? rest.index(after: rest.startIndex) : nil
    }
}
