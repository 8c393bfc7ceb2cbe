extension UInt8 {
    static var nul: UInt8 { 0x00 }
    static var lineFeed: UInt8 { 0x0a }
    static var carriageReturn: UInt8 { 0x0d }
    static var space: UInt8 { 0x20 }
    static var exclamationMark: UInt8 { 0x21 }
    static var comma: UInt8 { 0x2c }
    static var hyphen: UInt8 { 0x2d }
    static var dot: UInt8 { 0x2e }
    static var colon: UInt8 { 0x3a }
    static var semicolon: UInt8 { 0x3b }
    static var equals: UInt8 { 0x3d }
    static var at: UInt8 { 0x40 }
    static var backslash: UInt8 { 0x5c }

    /// Whether the byte is forbidden anywhere in a message because it would end it (RFC 1459 2.3.1).
    var endsLine: Bool { self == .lineFeed || self == .carriageReturn || self == .nul }

    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { self | 0x20 >= 0x61 && self | 0x20 <= 0x7a }
    var isLetterOrDigit: Bool { isLetter || isDigit }

    /// The value of the hexadecimal digit; nil if it isn't one.
    var hexadecimal: UInt8? {
        if isDigit { return self - 0x30 }
        let lower = self | 0x20
        return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : nil
    }
}
