/// Text without anything that a terminal would obey.
enum Harmless {
    /// What to show for a control character; nil for any other.
    static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value)
        case 0x7f: "\u{2421}"
        // The last two lots turn the direction of what follows.
        case 0x80..<0xa0, 0x202a...0x202e, 0x2066...0x2069: "\u{fffd}"
        default: nil
        }
    }

    /// The text with control characters made visible, but for newlines and tabs.
    ///
    /// - Parameter keepsColors: Whether `ESC [ numbers m` may stay; the colours then end with the text.
    static func text(_ text: String, keepsColors: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0a || $0 == 0x7f || $0 == 0xc2 || $0 == 0xe2 }) else {
            return text
        }
        var harmless = String.UnicodeScalarView()
        var hasColors = false
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            if keepsColors, let end = endOfColor(rest) {
                harmless.append(contentsOf: rest[..<end])
                rest = rest[end...]
                hasColors = true
                continue
            }
            rest.removeFirst()
            switch scalar {
            case "\n", "\t": harmless.append(scalar)
            case "\r" where rest.first == "\n": break
            default: harmless.append(picture(of: scalar) ?? scalar)
            }
        }
        if hasColors { harmless.append(contentsOf: "\u{1b}[0m".unicodeScalars) }
        return String(harmless)
    }

    /// Where `ESC [ numbers m` at the beginning ends.
    private static func endOfColor(_ text: Substring.UnicodeScalarView) -> String.Index? {
        guard text.starts(with: "\u{1b}[".unicodeScalars) else { return nil }
        let rest = text.dropFirst(2).drop { ("0"..."9").contains($0) || $0 == ";" }
        return rest.first == "m" ? rest.index(after: rest.startIndex) : nil
    }
}
