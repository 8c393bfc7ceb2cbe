/// The lower-case mapping of single characters: Unicode's toLowerCase without its context rules.
enum LowercaseMapping {
    /// Appends the lower case of a character.
    ///
    /// A sigma at the end of a word is like any other: PRECIS has no final sigma (RFC 7622 section 3.5).
    static func append(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x41...0x5a: text.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) + 0x20))
        case 0...0x7f: text.append(scalar)
        default: text.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
    }

    /// Returns the character of a text that became another one by width and lower-case mapping, for error messages.
    static func origin(of scalar: Unicode.Scalar, in text: Substring) -> Unicode.Scalar {
        let origin = text.unicodeScalars.first { candidate in
            var lower = String.UnicodeScalarView()
            append(WidthMapping.mapped(candidate), to: &lower)
            return lower.contains(scalar)
        }
        return origin ?? scalar
    }
}
