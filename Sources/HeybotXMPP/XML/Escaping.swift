/// Texts as XML has them, in UTF-8 (XML 1.0 sections 2.2 to 2.4 and 2.11).
///
/// What XML can't carry at all is left out, since one such character costs the whole stream: U+0000 to U+001F but for
/// tab, LF and CR, U+FFFE and U+FFFF.
enum Escaping {
    /// Appends text between tags.
    static func write(text: String, to bytes: inout [UInt8]) {
        write(text, to: &bytes) { isSpecial($0) && $0 != 0x09 && $0 != 0x0a && $0 != UInt8(ascii: "'") }
    }

    /// How many bytes a byte of text becomes.
    @inline(__always)
    static func length(ofTextByte byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "&"), 0x0d: 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        default: 1
        }
    }

    /// Appends the value of an attribute, for between two `'`.
    static func write(value: String, to bytes: inout [UInt8]) {
        write(value, to: &bytes, where: isSpecial)
    }

    /// Appends text as it is.
    static func write(plain text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    private static func write(_ text: String, to bytes: inout [UInt8], where isSpecial: (UInt8) -> Bool) {
        var text = text
        text.withUTF8 { source in
            // Without a way out of the loop, many bytes are looked at in one step.
            var hasSpecial = false
            for byte in source where isSpecial(byte) { hasSpecial = true }
            if hasSpecial { writeRuns(source, to: &bytes, where: isSpecial) } else { bytes.append(contentsOf: source) }
        }
    }

    /// Copies run after run of bytes that may stay as they are.
    @inline(__always)
    private static func writeRuns(
        _ source: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8], where isSpecial: (UInt8) -> Bool
    ) {
        var start = 0
        var index = 0
        while index < source.count {
            guard isSpecial(source[index]) else {
                index += 1
                continue
            }
            let length = unwritable(source, at: index)
            let replacement: StaticString? = length > 0 ? "" : reference(source[index])
            if let replacement {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<index]))
                replacement.withUTF8Buffer { bytes.append(contentsOf: $0) }
                start = index + max(length, 1)
            }
            index += max(length, 1)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start...]))
    }

    /// Whether a byte needs a closer look; 0xef begins U+FFFE and U+FFFF, and much that is nothing special.
    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "<")
            || byte == UInt8(ascii: ">") || byte == 0xef
    }

    /// How many bytes a character has that XML can't carry; 0 if it can.
    private static func unwritable(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch source[index] {
        case 0x09, 0x0a, 0x0d: 0
        case ..<0x20: 1
        case 0xef where index + 2 < source.count && source[index + 1] == 0xbf && source[index + 2] >= 0xbe: 3
        default: 0
        }
    }

    /// What a character is written as.
    ///
    /// Parsers take CR for LF, and both for a space within a value, if these aren't references.
    private static func reference(_ byte: UInt8) -> StaticString? {
        switch byte {
        case 0x09: "&#x9;"
        case 0x0a: "&#xA;"
        case 0x0d: "&#xD;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "'"): "&apos;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        default: nil
        }
    }
}

/// The four characters that XML takes for whitespace (XML 1.0 section 2.3).
enum XMLSpace {
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
