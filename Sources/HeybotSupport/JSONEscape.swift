/// The escapes in the strings of JSON (RFC 8259 section 7).
package enum JSONEscape {
    /// Returns what a byte after a backslash stands for; nil for `u`, after which a code unit follows, and for a byte
    /// that isn't allowed there.
    package static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        default: return nil
        }
    }

    /// Parses the four hexadecimal digits of a code unit; nil if they aren't next.
    package static func codeUnit(in bytes: [UInt8], at place: inout Int) -> UInt32? {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard place < bytes.count, let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue else {
                return nil
            }
            code = code << 4 | UInt32(digit)
            place += 1
        }
        return code
    }
}
