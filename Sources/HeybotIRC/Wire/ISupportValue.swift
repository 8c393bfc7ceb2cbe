/// Reads what a name of ISUPPORT has for a value.
enum ISupportValue {
    /// Undoes escapes such as `\x20` and `\x3D`; those of control characters stay, for no value needs one.
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

    /// A number over zero, of digits only; nil if it is none, or more than an `Int` holds.
    static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy(\.isDigit), let number = Int(text), number > 0 else { return nil }
        return number
    }

    /// The byte an escape of four stands for; nil if it is none.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        let digits = bytes.dropFirst(2).compactMap(\.hexadecimal)
        guard bytes.first == .backslash, bytes.dropFirst().first == UInt8(ascii: "x"), digits.count == 2 else {
            return nil
        }
        let byte = digits[0] << 4 | digits[1]
        return byte < .space || byte == 0x7f ? nil : byte
    }
}
