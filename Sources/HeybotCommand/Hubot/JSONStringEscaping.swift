import HeybotSupport

/// Conversions between texts and JSON strings.
enum JSONStringEscaping {
    /// Returns the text as a JSON string with quotes.
    ///
    /// Only required characters are escaped.
    static func escaped(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(string: text)
        return writer.bytes
    }

    /// Returns the text of a JSON string's content, which is between the quotes.
    ///
    /// An unpaired surrogate becomes U+FFFD, as with JavaScript's `toWellFormed`.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        let backslash = UInt8(ascii: "\\")
        guard bytes.contains(backslash) else { return String(decoding: bytes, as: UTF8.self) }
        // In UTF-16, so that escaped surrogates form pairs.
        var units: [UInt16] = []
        var rest = bytes
        while let escape = rest.firstIndex(of: backslash) {
            units += String(decoding: rest[..<escape], as: UTF8.self).utf16
            rest = rest[(escape + 1)...]
            switch rest.popFirst() {
            case UInt8(ascii: "u"):
                units.append(rest.prefix(4).reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) })
                rest = rest.dropFirst(4)
            case let byte?:
                units.append(JSONEscape.scalar(byte).map { UInt16(truncatingIfNeeded: $0.value) } ?? UInt16(byte))
            case nil: break
            }
        }
        units += String(decoding: rest, as: UTF8.self).utf16
        return String(decoding: units, as: UTF16.self)
    }

    /// The value of a hexadecimal digit; nil if the byte isn't one.
    static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Whether the JSON text is an object without members.
    static func isEmptyObject(_ json: [UInt8]) -> Bool {
        json.lazy.filter { !" \t\r\n".utf8.contains($0) }.elementsEqual("{}".utf8)
    }
}
