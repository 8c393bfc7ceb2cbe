/// Escapes text for XML, in UTF-8 (XML 1.0 sections 2.2 to 2.4 and 2.11).
///
/// Characters that XML doesn't allow are omitted, because a single one ends the whole stream: U+0000 to U+001F except tab, LF
/// and CR, and U+FFFE and U+FFFF.
enum XMLEscaping {
    /// Appends text between tags.
    static func write(text: String, to bytes: inout [UInt8]) {
        write(text, to: &bytes) { isSpecial($0) && $0 != 0x09 && $0 != 0x0a && $0 != UInt8(ascii: "'") }
    }

    /// Returns the number of bytes that a byte of text takes when it is escaped.
    @inline(__always)
    static func length(ofTextByte byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "&"), 0x0d: 5
        case UInt8(ascii: "<"), UInt8(ascii: ">"): 4
        default: 1
        }
    }

    /// Appends an attribute's value, for use in single quotes.
    static func write(value: String, to bytes: inout [UInt8]) {
        write(value, to: &bytes, where: isSpecial)
    }

    /// Appends text without escaping it.
    static func write(plain text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    private static func write(_ text: String, to bytes: inout [UInt8], where isSpecial: (UInt8) -> Bool) {
        var text = text
        text.withUTF8 { source in
            // Without an early exit, the loop can be vectorized.
            var hasSpecial = false
            for byte in source where isSpecial(byte) { hasSpecial = true }
            if hasSpecial { writeRuns(source, to: &bytes, where: isSpecial) } else { bytes.append(contentsOf: source) }
        }
    }

    /// Copies runs of bytes that need no escaping.
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

    /// Whether a byte needs a closer look; 0xef begins U+FFFE and U+FFFF, and many ordinary characters.
    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "<")
            || byte == UInt8(ascii: ">") || byte == 0xef
    }

    /// Returns the length in bytes of a character that XML doesn't allow; 0 if it is allowed.
    private static func unwritable(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch source[index] {
        case 0x09, 0x0a, 0x0d: 0
        case ..<0x20: 1
        case 0xef where index + 2 < source.count && source[index + 1] == 0xbf && source[index + 2] >= 0xbe: 3
        default: 0
        }
    }

    /// Returns the reference that stands for a character.
    ///
    /// Without references, parsers read CR as LF, and either as a space in an attribute's value.
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

/// The four characters that count as whitespace in XML (XML 1.0 section 2.3).
enum XMLWhitespace {
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
