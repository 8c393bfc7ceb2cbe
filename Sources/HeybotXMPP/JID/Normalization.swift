/// The one place that asks the standard library for Unicode's normalisation form C.
enum Normalization {
    /// Without a Foundation, this is the only way to it: public, though with an underscore, and the same on all platforms.
    static func nfc(_ text: String) -> String { String(decoding: text._nfcCodeUnits, as: UTF8.self) }
}

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

/// How long a part of an address may be (RFC 7622 section 3.1).
enum Limit {
    static func isKept(_ count: Int) -> Bool { count >= 1 && count <= 1_023 }

    static func check(_ part: String) throws(JIDError.Flaw) {
        let count = part.utf8.count
        guard isKept(count) else { throw count == 0 ? .empty : .tooLong }
    }
}
