extension JSONValue {
    /// Parses JSON from a stranger; nil if it is invalid, or nested more than 50 levels deep.
    package init?(_ text: String) {
        var parser = Parser(text)
        guard let json = parser.document() else { return nil }
        self = json
    }

    /// A parser of JSON (RFC 8259), whose time is proportional to the length of the text, whatever it contains.
    ///
    /// `JSONDecoder` would try one type after the other for each value, which takes many times as long.
    private struct Parser {
        /// The parser is recursive, and threads have stacks of half a megabyte.
        private static let deepest = 50
        private static let longestNumber = 100

        private let bytes: [UInt8]
        private var place = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        /// The byte at the current place; nil at the end.
        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        /// Parses the whole text.
        mutating func document() -> JSONValue? {
            guard let json = value(depth: 0) else { return nil }
            skipSpace()
            return next == nil ? json : nil
        }

        /// Parses a value.
        ///
        /// - Parameter depth: The number of arrays and objects around it.
        private mutating func value(depth: Int) -> JSONValue? {
            skipSpace()
            guard let byte = next else { return nil }
            switch byte {
            case UInt8(ascii: "\""): return string().map(JSONValue.string)
            case UInt8(ascii: "{"): return depth < Self.deepest ? object(depth: depth) : nil
            case UInt8(ascii: "["): return depth < Self.deepest ? array(depth: depth) : nil
            case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
            case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
            case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
            default: return number()
            }
        }

        private mutating func object(depth: Int) -> JSONValue? {
            place += 1
            var members: [String: JSONValue] = [:]
            if take("}") { return .object(members) }
            repeat {
                skipSpace()
                guard let name = string(), take(":"), let member = value(depth: depth + 1) else { return nil }
                members[name] = member
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func array(depth: Int) -> JSONValue? {
            place += 1
            var elements: [JSONValue] = []
            if take("]") { return .array(elements) }
            repeat {
                guard let element = value(depth: depth + 1) else { return nil }
                elements.append(element)
            } while take(",")
            return take("]") ? .array(elements) : nil
        }

        private mutating func number() -> JSONValue? {
            let start = place
            while let byte = next, "+-.0123456789Ee".utf8.contains(byte) { place += 1 }
            guard place - start <= Self.longestNumber else { return nil }
            let text = String(decoding: bytes[start..<place], as: UTF8.self)
            if let integer = Int(text) { return .integer(integer) }
            guard let number = Double(text) else { return nil }
            if let integer = Int(exactly: number) { return .integer(integer) }
            return .number(number)
        }

        /// Parses a string, which may also contain line breaks as they are, as shell scripts send them.
        private mutating func string() -> String? {
            guard next == UInt8(ascii: "\"") else { return nil }
            place += 1
            var decoded: [UInt8] = []
            while let byte = next {
                place += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: decoded, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escapedScalar() else { return nil }
                    decoded += Array(String(Character(scalar)).utf8)
                default: decoded.append(byte)
                }
            }
            return nil
        }

        /// Parses an escape after its backslash; half of a surrogate pair becomes U+FFFD.
        private mutating func escapedScalar() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            place += 1
            guard byte == UInt8(ascii: "u") else { return JSONEscape.scalar(byte) }
            guard let code = JSONEscape.codeUnit(in: bytes, at: &place) else { return nil }
            guard 0xD800..<0xDC00 ~= code else { return Unicode.Scalar(code) ?? "\u{FFFD}" }
            let end = place
            if take(word: "\\u"), let low = JSONEscape.codeUnit(in: bytes, at: &place), 0xDC00..<0xE000 ~= low {
                return Unicode.Scalar(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)) ?? "\u{FFFD}"
            }
            place = end
            return "\u{FFFD}"
        }

        private mutating func skipSpace() {
            while let byte = next, byte == 0x20 || 0x09...0x0D ~= byte { place += 1 }
        }

        /// Skips blanks and a character, if it is the next one.
        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard next == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        /// Skips a word, if it is next.
        private mutating func take(word: String) -> Bool {
            guard bytes[place...].starts(with: word.utf8) else { return false }
            place += word.utf8.count
            return true
        }
    }
}
