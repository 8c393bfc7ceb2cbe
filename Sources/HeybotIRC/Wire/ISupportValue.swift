/// Parses values of ISUPPORT tokens.
enum ISupportValue {
    /// Resolves escapes such as `\x20` and `\x3D`; those of control characters are kept, because no valid value contains one.
    static func unescaped(_ value: Substring.UTF8View) -> String {
        guard value.contains(.backslash) else { return String(Substring(value)) }
        let bytes = Array(value)
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let byte = escaped(bytes[index...].prefix(4)) {
                text.append(byte)
                index += 4
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses a positive number of digits only; nil if it isn't one, or doesn't fit into an `Int`.
    static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), number > 0 else { return nil }
        return number
    }

    /// The byte of a four-character escape; nil if it isn't one.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        let digits = bytes.dropFirst(2).compactMap(\.hexadecimal)
        guard bytes.first == .backslash, bytes.dropFirst().first == UInt8(ascii: "x"), digits.count == 2 else {
            return nil
        }
        let byte = digits[0] << 4 | digits[1]
        return byte < .space || byte == 0x7f ? nil : byte
    }
}
