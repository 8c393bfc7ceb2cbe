/// Lower case of single characters, as Unicode's toLowerCase has it without regard to what is beside them.
enum LowerCase {
    /// Appends the lower case of a character.
    ///
    /// A sigma at the end of a word is like any other: PRECIS knows no final sigma (RFC 7622 section 3.5).
    static func append(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x41...0x5a: text.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) + 0x20))
        case 0...0x7f: text.append(scalar)
        default: text.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
    }

    /// Which character of a text has become another by its width and lower case: the one to name to who wrote it.
    static func origin(of scalar: Unicode.Scalar, in text: Substring) -> Unicode.Scalar {
        let origin = text.unicodeScalars.first { candidate in
            var lower = String.UnicodeScalarView()
            append(Width.mapped(candidate), to: &lower)
            return lower.contains(scalar)
        }
        return origin ?? scalar
    }
}
