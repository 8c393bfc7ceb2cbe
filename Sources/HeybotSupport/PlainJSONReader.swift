/// Reads an object of JSON, as programs usually write it.
///
/// At anything else, valid or not, such as white space or `null`, the reader gives up, and `JSONDecoder` must read the object
/// from its beginning, which takes many times as long. So this reader needn't know all that JSON allows or forbids.
package struct PlainJSONReader {
    /// The most digits of a whole number.
    private static let longestNumber = 15
    /// The longest other number, in bytes.
    private static let longestFraction = 30

    private let bytes: [UInt8]
    private var place = 0

    /// Creates a reader of an object.
    package init(_ object: [UInt8]) { bytes = object }

    /// Skips a text if it is next.
    @usableFromInline
    package mutating func skip(_ text: StaticString) -> Bool {
        let length: Int? = text.withUTF8Buffer { text in
            guard bytes.count - place >= text.count else { return nil }
            for index in text.indices where bytes[place + index] != text[index] { return nil }
            return text.count
        }
        place += length ?? 0
        return length != nil
    }

    /// Reads the object's members, or the rest of them, and nothing may follow.
    ///
    /// - Parameter read: Reads the value of the member with a name; returns false to give up.
    /// - Returns: False if the reader gave up.
    package mutating func members(_ read: (String, inout PlainJSONReader) -> Bool) -> Bool {
        rest(read) && place == bytes.count
    }

    @usableFromInline
    mutating func rest(_ read: (String, inout PlainJSONReader) -> Bool) -> Bool {
        repeat {
            guard let name = string(), skip(":"), read(name, &self) else { return false }
        } while skip(",")
        return skip("}")
    }

    // MARK: Values

    /// Reads a text for a value that has none yet; returns false to give up.
    package mutating func read(_ value: inout String?) -> Bool { Self.set(&value, string()) }

    /// Reads a whole number for a value that has none yet; returns false to give up.
    package mutating func read(_ value: inout Int?) -> Bool { Self.set(&value, integer()) }

    /// Reads true or false for a value that is neither yet; returns false to give up.
    package mutating func read(_ value: inout Bool?) -> Bool {
        Self.set(&value, skip("true") ? true : skip("false") ? false : nil)
    }

    /// Reads a number for a value that has none yet; returns false to give up.
    package mutating func read(_ value: inout Double?) -> Bool { Self.set(&value, number()) }

    /// Reads a list of whole numbers for a value that has none yet; returns false to give up.
    package mutating func read(_ value: inout [Int]?) -> Bool { Self.set(&value, list { $0.integer() }) }

    /// Reads an object for a value that has none yet; returns false to give up.
    ///
    /// - Parameters:
    ///   - read: Reads the value of the member with a name; returns false to give up.
    ///   - make: Makes the value when all members are read; returns nil to give up.
    @inlinable
    package mutating func read<Value>(
        _ value: inout Value?, _ read: (String, inout PlainJSONReader) -> Bool, make: () -> Value?
    ) -> Bool {
        guard skip("{"), skip("}") || rest(read) else { return false }
        return Self.set(&value, make())
    }

    /// Reads a list of texts for a value that has none yet; returns false to give up.
    package mutating func read(_ value: inout [String]?) -> Bool { Self.set(&value, list { $0.string() }) }

    /// Skips a list of texts, which may also contain `null`; returns false to give up.
    package mutating func skipTexts() -> Bool {
        guard skip("[") else { return false }
        if skip("]") { return true }
        repeat {
            if !skip("null"), string() == nil { return false }
        } while skip(",")
        return skip("]")
    }

    /// Sets a value; a name that occurs twice is unusual.
    @inlinable
    static func set<Value>(_ value: inout Value?, _ new: Value?) -> Bool {
        guard value == nil, let new else { return false }
        value = new
        return true
    }

    private mutating func integer() -> Int? {
        let start = place
        var number = 0
        while place < bytes.count, 0x30...0x39 ~= bytes[place], place - start < Self.longestNumber {
            number = number * 10 + Int(bytes[place] - 0x30)
            place += 1
        }
        guard place > start, place == start + 1 || bytes[start] != 0x30 else { return nil }
        return number
    }

    private mutating func number() -> Double? {
        let start = place
        while place < bytes.count, Self.isOfNumber(bytes[place]), place - start < Self.longestFraction { place += 1 }
        // `Double` also takes what JSON doesn't allow, such as `1.`, which is no harm.
        let number = String(validating: bytes[start..<place], as: UTF8.self).flatMap { Double($0) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"): true
        default: false
        }
    }

    private mutating func list<Element>(_ read: (inout PlainJSONReader) -> Element?) -> [Element]? {
        guard skip("[") else { return nil }
        if skip("]") { return [] }
        var elements: [Element] = []
        repeat {
            guard let element = read(&self) else { return nil }
            elements.append(element)
        } while skip(",")
        return skip("]") ? elements : nil
    }

    // MARK: Strings

    private mutating func string() -> String? {
        guard skip("\"") else { return nil }
        let start = place
        var isASCII = true
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                let text = bytes[start..<place]
                place += 1
                // Validating takes many times as long.
                return isASCII ? String(decoding: text, as: UTF8.self) : String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): return escapedString(from: start)
            case 0x80...:
                isASCII = false
                place += 1
            case 0..<0x20: return nil
            default: place += 1
            }
        }
        return nil
    }

    /// Reads a string with escapes, the first of which is next.
    private mutating func escapedString(from start: Int) -> String? {
        var decoded = Array(bytes[start..<place])
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: decoded, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escapedScalar() else { return nil }
                decoded += String(Character(scalar)).utf8
            case 0..<0x20: return nil
            default: decoded.append(byte)
            }
        }
        return nil
    }

    /// Reads an escape after its backslash; nil for NUL and halves of surrogate pairs too.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard place < bytes.count else { return nil }
        let byte = bytes[place]
        place += 1
        guard byte == UInt8(ascii: "u") else { return JSONEscape.scalar(byte) }
        guard let code = JSONEscape.codeUnit(in: bytes, at: &place), code != 0 else { return nil }
        return Unicode.Scalar(code)
    }
}
