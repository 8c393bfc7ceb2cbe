/// The text of a pattern in the form that the parser reads: one byte for each character.
///
/// An ASCII character is represented by itself, every other one by one of the marks below.
enum PatternByteEncoding {
    /// Another non-ASCII character.
    static let other: UInt8 = 0x80
    /// The Kelvin sign.
    static let kelvin: UInt8 = 0x81
    /// The long s.
    static let longS: UInt8 = 0x82
    /// The Greek question mark.
    static let greekQuestion: UInt8 = 0x83
    /// The Greek varia.
    static let varia: UInt8 = 0x84
    /// A carriage return and a line feed, which are one character in Swift.
    static let lineBreak: UInt8 = 0x85

    /// The source of a Swift pattern, by characters.
    ///
    /// - Returns: Nil if an ASCII scalar is part of a longer character: it may be part of the syntax, or may have been separate
    ///   in the original.
    static func inSwift(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0x0d }) { return bytes }
        var marks: [UInt8] = []
        marks.reserveCapacity(bytes.count)
        for character in text {
            let scalars = character.unicodeScalars
            if character == "\r\n" {
                marks.append(lineBreak)
            } else if let scalar = scalars.first, scalars.count == 1 {
                marks.append(mark(of: scalar.value))
            } else {
                guard scalars.allSatisfy({ !$0.isASCII }) else { return nil }
                marks.append(other)
            }
        }
        return marks
    }

    /// The source of a JavaScript pattern: by scalars with the flags `u` or `v`, else by UTF-16 code units.
    static func inJavaScript(_ text: String, isUnicode: Bool) -> [UInt8] {
        isUnicode ? text.unicodeScalars.map { mark(of: $0.value) } : text.utf16.map { mark(of: UInt32($0)) }
    }

    /// The mark for a scalar.
    static func mark(of scalar: UInt32) -> UInt8 {
        switch scalar {
        case 0..<0x80: UInt8(scalar)
        case 0x212a: kelvin
        case 0x17f: longS
        case 0x37e: greekQuestion
        case 0x1fef: varia
        default: other
        }
    }

    /// The characters that a mark matches as a literal.
    static func characters(_ mark: UInt8, ignoresCase: Bool) -> PossibleCharacters {
        switch mark {
        case 0..<0x80:
            let ascii = ByteSet(CollectionOfOne(mark))
            return PossibleCharacters(ascii: ignoresCase ? ascii.inBothCases : ascii, hasOthers: false)
        case kelvin: return PossibleCharacters(ascii: ByteSet(ascii: "Kk"), hasOthers: true, hasClusters: true)
        case longS: return PossibleCharacters(ascii: ByteSet(ascii: "Ss"), hasOthers: true, hasClusters: true)
        case greekQuestion: return PossibleCharacters(ascii: ByteSet(ascii: ";"), hasOthers: true, hasClusters: true)
        case varia: return PossibleCharacters(ascii: ByteSet(ascii: "`"), hasOthers: true, hasClusters: true)
        case lineBreak: return PossibleCharacters(ascii: ByteSet(ascii: "\r\n"), hasOthers: true)
        default: return PossibleCharacters(ascii: ByteSet(), hasOthers: true, hasClusters: true)
        }
    }
}
