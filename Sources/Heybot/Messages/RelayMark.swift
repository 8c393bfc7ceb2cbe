/// The mark of what a robot has relayed from another room: an invisible scalar in the author's name.
///
/// No robot runs a marked text as a command, or relays it again. So nobody gets the rights of another user or robot by
/// being relayed, and two robots in the same rooms don't relay in a loop. The mark also keeps chat clients from
/// notifying a user of the same name.
package enum RelayMark {
    /// A word joiner, which people don't type.
    private static let scalar: Unicode.Scalar = "\u{2060}"
    /// The number of bytes at the beginning of a text in which the mark is looked for.
    ///
    /// Another relay may have put a name in front.
    private static let longestBeginning = 400

    /// Returns a name with the mark after its first scalar.
    package static func marking(_ name: String) -> String {
        var scalars = name.unicodeScalars
        guard let first = scalars.first else { return String(String.UnicodeScalarView([scalar])) }
        scalars.removeFirst()
        return String(String.UnicodeScalarView([first, scalar])) + String(scalars)
    }

    /// Returns a text without marks.
    package static func removing(from text: String) -> String {
        String(text.unicodeScalars.filter { $0 != scalar })
    }

    /// Whether the first line of a text has a marked name as a relay writes it, `<name>` or `* name`, perhaps after
    /// what another relay has put in front.
    ///
    /// A marked name elsewhere is only a name that somebody has copied, and a quotation, `> <name>`, belongs to
    /// somebody's answer.
    package static func isOn(_ text: String) -> Bool {
        var text = text
        // The first byte of the mark, which few texts have.
        guard text.withUTF8({ $0.prefix(longestBeginning).contains(0xE2) }) else { return false }
        var last: UInt32 = 0
        // Whether the current word is a name in such a place.
        var isInName = false
        if text.utf8.first == UInt8(ascii: ">") { return false }
        for byte in text.utf8.prefix(longestBeginning) {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return false
            case UInt8(ascii: "<"): isInName = true
            case UInt8(ascii: ">"): isInName = false
            case UInt8(ascii: " "): isInName = UInt8(truncatingIfNeeded: last) == UInt8(ascii: "*")
            default: break
            }
            last = (last << 8 | UInt32(byte)) & 0xFF_FFFF
            // The mark in UTF-8.
            if isInName, last == 0xE281A0 { return true }
        }
        return false
    }
}

extension Message {
    /// Whether a robot has relayed it from another room.
    package var isRelayed: Bool { text.map(RelayMark.isOn) ?? false }
}
