/// Prepares account names and passwords with SASLprep, as far as possible without Unicode tables (RFC 4013).
///
/// Neither NFKC nor the bidirectional check is done; text that only they would change or reject is kept.
enum SASLprep {
    /// Prepares a text.
    ///
    /// - Parameter name: What the text is, for errors.
    static func prepared(_ text: String, named name: String) throws(SASLError) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // In this order: the zero-width space is in both tables, and other libraries map it to a space.
            if isOtherSpace(scalar) { scalars.append(" ") } else if !isNothing(scalar) { scalars.append(scalar) }
        }
        if let scalar = scalars.first(where: isProhibited) {
            // Even one character of a password must not reach a log.
            let which = name == "password" ? "" : ": U+\(String(scalar.value, radix: 16, uppercase: true))"
            throw .unusable("the \(name) contains a character that can't be sent\(which)")
        }
        guard !scalars.isEmpty else { throw .unusable("the \(name) contains only invisible characters") }
        return String(scalars)
    }

    /// Non-ASCII spaces (RFC 3454 table C.1.2).
    private static func isOtherSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xa0, 0x1680, 0x2000...0x200b, 0x202f, 0x205f, 0x3000: true
        default: false
        }
    }

    /// Commonly mapped to nothing (RFC 3454 table B.1).
    private static func isNothing(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xad, 0x34f, 0x1806, 0x180b...0x180d, 0x200c...0x200d, 0x2060, 0xfe00...0xfe0f, 0xfeff: true
        default: false
        }
    }

    /// Prohibited output (RFC 4013 section 2.3, with the tables of RFC 3454 it names).
    private static func isProhibited(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls: C.2.1 and C.2.2.
        case 0...0x1f, 0x7f...0x9f, 0x6dd, 0x70f, 0x180e, 0x2028...0x2029, 0x2061...0x2063, 0x206a...0x206f: true
        case 0xfff9...0xfffc, 0x1d173...0x1d17a: true
        // Private use: C.3.
        case 0xe000...0xf8ff, 0xf0000...0xffffd, 0x100000...0x10fffd: true
        // Inappropriate for plain text, or changing how text is displayed: C.6 to C.9.
        case 0xfffd, 0x2ff0...0x2ffb, 0x340...0x341, 0x200e...0x200f, 0x202a...0x202e, 0xe0001, 0xe0020...0xe007f: true
        // Noncharacters: C.4.
        default: scalar.properties.isNoncharacterCodePoint
        }
    }
}
