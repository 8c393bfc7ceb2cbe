/// Reads an object of JSON, as programs usually write it.
///
/// At anything else, valid or not, such as white space or `null`, the reader throws ``Unusual``, and `JSONDecoder` must read the
/// object from its beginning, which takes many times as long. So this reader needn't know all that JSON allows or forbids.
package struct PlainJSONReader {
    /// The JSON isn't in the usual form.
    package struct Unusual: Error {
        /// Creates an error.
        package init() {}
    }

    /// The name of a member, as it is written.
    package struct Name {
        fileprivate let bytes: ArraySlice<UInt8>

        /// Compares a name, so that `switch` takes it.
        package static func ~= (text: StaticString, name: Name) -> Bool {
            name.bytes.count == text.utf8CodeUnitCount && name.bytes.begins(with: text)
        }
    }

    /// The most digits of a whole number.
    private static let longestNumber = 15
    /// The longest other number, in bytes.
    private static let longestFraction = 30

    private let bytes: [UInt8]
    private var place = 0

    /// Creates a reader of an object.
    package init(_ object: [UInt8]) { bytes = object }

    /// Skips a text if it is next.
    package mutating func skip(_ text: StaticString) -> Bool {
        let isNext = bytes[place...].begins(with: text)
        if isNext { place += text.utf8CodeUnitCount }
        return isNext
    }

    /// Skips a text, which has to be next.
    package mutating func expect(_ text: StaticString) throws(Unusual) {
        guard skip(text) else { throw Unusual() }
    }

    /// Expects that nothing follows.
    package func expectEnd() throws(Unusual) {
        guard place == bytes.count else { throw Unusual() }
    }

    /// Reads the object's members, or the rest of them, in any order, and nothing may follow.
    ///
    /// - Parameter read: Reads the value of the member with a name.
    package mutating func members(
        _ read: (Name, inout PlainJSONReader) throws(Unusual) -> Void
    ) throws(Unusual) {
        repeat {
            try expect("\"")
            let (start, end, _) = plainCharacters()
            try expect("\":")
            try read(Name(bytes: bytes[start..<end]), &self)
        } while skip(",")
        try expect("}")
        try expectEnd()
    }

    // MARK: Members that may come in any order

    /// Reads a text for a value that has none yet.
    package mutating func read(_ value: inout String?) throws(Unusual) { try Self.set(&value, string()) }

    /// Reads a whole number for a value that has none yet.
    package mutating func read(_ value: inout Int?) throws(Unusual) { try Self.set(&value, integer()) }

    /// Reads true or false for a value that is neither yet.
    package mutating func read(_ value: inout Bool?) throws(Unusual) { try Self.set(&value, flag()) }

    /// Reads a list of texts for a value that has none yet.
    package mutating func read(_ value: inout [String]?) throws(Unusual) {
        try Self.set(&value, list { reader throws(Unusual) in try reader.string() })
    }

    /// Skips a list of texts, which may also contain `null`.
    package mutating func skipTexts() throws(Unusual) {
        _ = try list { reader throws(Unusual) in
            if !reader.skip("null") { _ = try reader.string() }
        }
    }

    /// Sets a value; a name that occurs twice is unusual.
    private static func set<Value>(_ value: inout Value?, _ new: Value) throws(Unusual) {
        guard value == nil else { throw Unusual() }
        value = new
    }

    // MARK: Values

    /// Reads true or false.
    package mutating func flag() throws(Unusual) -> Bool {
        if skip("true") { return true }
        try expect("false")
        return false
    }

    /// Reads a whole number that isn't negative.
    package mutating func integer() throws(Unusual) -> Int {
        let start = place
        var number = 0
        while place < bytes.count, 0x30...0x39 ~= bytes[place], place - start < Self.longestNumber {
            number = number * 10 + Int(bytes[place] - 0x30)
            place += 1
        }
        guard place > start, place == start + 1 || bytes[start] != 0x30 else { throw Unusual() }
        return number
    }

    /// Reads a list of whole numbers that aren't negative.
    package mutating func integers() throws(Unusual) -> [Int] {
        try list { reader throws(Unusual) in try reader.integer() }
    }

    /// Reads a finite number.
    package mutating func number() throws(Unusual) -> Double {
        let start = place
        if let number = shortNumber() { return number }
        place = start
        while place < bytes.count, Self.isOfNumber(bytes[place]), place - start < Self.longestFraction { place += 1 }
        // `Double` also takes what JSON doesn't allow, such as `1.`, which is no harm.
        guard let text = String(validating: bytes[start..<place], as: UTF8.self), let number = Double(text),
            number.isFinite
        else { throw Unusual() }
        return number
    }

    /// Reads a number that has a few digits and at most one decimal point, such as a time.
    ///
    /// Its digits and its power of ten are exact as `Double`, so that the quotient is the closest one there is.
    /// `Double.init(_:)`, which takes any number, needs many times as long.
    ///
    /// - Returns: Nil for any other number; then ``place`` is undefined.
    private mutating func shortNumber() -> Double? {
        let start = place
        var (digits, hasPoint, power) = (0, false, 1.0)
        while place < bytes.count, Self.isOfNumber(bytes[place]) {
            if 0x30...0x39 ~= bytes[place] {
                digits = digits * 10 + Int(bytes[place] - 0x30)
                if hasPoint { power *= 10 }
            } else if bytes[place] == UInt8(ascii: "."), !hasPoint, place > start {
                hasPoint = true
            } else {
                return nil
            }
            place += 1
            guard digits < 1 << 53, place - start < Self.longestFraction else { return nil }
        }
        return place > start && power < 1e22 ? Double(digits) / power : nil
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"): true
        default: false
        }
    }

    private mutating func list<Element>(
        _ read: (inout PlainJSONReader) throws(Unusual) -> Element
    ) throws(Unusual) -> [Element] {
        try expect("[")
        if skip("]") { return [] }
        var elements: [Element] = []
        repeat { elements.append(try read(&self)) } while skip(",")
        try expect("]")
        return elements
    }

    // MARK: Strings

    /// Reads a string without NUL.
    package mutating func string() throws(Unusual) -> String {
        try expect("\"")
        let (start, end, isASCII) = plainCharacters()
        if skip("\"") {
            let text = bytes[start..<end]
            // Validating takes many times as long.
            if isASCII { return String(decoding: text, as: UTF8.self) }
            guard let valid = String(validating: text, as: UTF8.self) else { throw Unusual() }
            return valid
        }
        return try escapedString(from: start)
    }

    /// Skips what a string has before its end, its first escape, or what isn't allowed in it.
    private mutating func plainCharacters() -> (start: Int, end: Int, isASCII: Bool) {
        let start = place
        var bits: UInt8 = 0
        // Without bounds checks, which would take most of the time.
        place = bytes.withUnsafeBufferPointer { bytes in
            var end = start
            while end < bytes.count {
                let byte = bytes[end]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
                bits |= byte
                end += 1
            }
            return end
        }
        return (start, place, bits < 0x80)
    }

    /// Reads the rest of a string, in which an escape is next.
    private mutating func escapedString(from start: Int) throws(Unusual) -> String {
        var decoded = Array(bytes[start..<place])
        while !skip("\"") {
            try expect("\\")
            decoded += String(Character(try escapedScalar())).utf8
            let (start, end, _) = plainCharacters()
            decoded += bytes[start..<end]
        }
        guard let valid = String(validating: decoded, as: UTF8.self) else { throw Unusual() }
        return valid
    }

    /// Reads an escape after its backslash, but not one of NUL or of half a surrogate pair.
    private mutating func escapedScalar() throws(Unusual) -> Unicode.Scalar {
        guard place < bytes.count else { throw Unusual() }
        let byte = bytes[place]
        place += 1
        if byte != UInt8(ascii: "u") {
            guard let scalar = JSONEscape.scalar(byte) else { throw Unusual() }
            return scalar
        }
        guard let code = JSONEscape.codeUnit(in: bytes, at: &place), code != 0, let scalar = Unicode.Scalar(code) else {
            throw Unusual()
        }
        return scalar
    }
}

extension ArraySlice<UInt8> {
    fileprivate func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        // Without bounds checks, which would take most of the time.
        return text.withUTF8Buffer { text in
            withUnsafeBufferPointer { bytes in
                for index in text.indices where bytes[index] != text[index] { return false }
                return true
            }
        }
    }
}
