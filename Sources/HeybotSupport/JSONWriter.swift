/// Writes lines of JSON, member by member, for messages that are written often.
///
/// `JSONEncoder` makes a tree of the values before it writes them, which takes many times as long.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private var isFirstMember = true

    /// Creates a writer.
    ///
    /// - Parameter capacity: About how many bytes will be written, if that is known.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Writes an object.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirstMember = true
        write(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirstMember = false
    }

    /// Writes an object as a line, with the line feed.
    package mutating func line(_ write: (inout JSONWriter) -> Void) {
        object(write)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Writes bytes as they are.
    package mutating func append(_ written: [UInt8]) { bytes += written }

    /// Writes a member with an object.
    package mutating func member(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
        begin(name)
        object(write)
    }

    /// Writes a member with a text, unless there is none.
    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        append(string: text)
    }

    /// Writes a member with two texts as one string, with a colon between them.
    package mutating func member(_ name: StaticString, scope: String, value: String) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        append(escaped: scope)
        bytes.append(UInt8(ascii: ":"))
        append(escaped: value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a member with a number, unless there is none.
    package mutating func member(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        begin(name)
        bytes += String(number).utf8
    }

    /// Writes a member with a finite number.
    package mutating func member(_ name: StaticString, _ number: Double) {
        begin(name)
        var text = String(number)
        // Without `.0`, as `JSONEncoder` does.
        text.withUTF8 { text in
            let isWhole = text.count > 2 && text[text.count - 2] == UInt8(ascii: ".") && text.last == UInt8(ascii: "0")
            bytes.append(contentsOf: isWhole ? text.dropLast(2) : text[...])
        }
    }

    /// Writes a member with a list of numbers.
    package mutating func member(_ name: StaticString, _ numbers: [Int]) {
        begin(name)
        list(numbers) { $0.bytes += String($1).utf8 }
    }

    /// Writes a member that is true or false.
    package mutating func member(_ name: StaticString, _ flag: Bool) {
        begin(name)
        append(flag ? "true" : "false")
    }

    /// Writes a member with a list of texts, unless there is none.
    package mutating func member(_ name: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        begin(name)
        list(texts) { $0.append(string: $1) }
    }

    private mutating func list<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a text as a string with quotes, in which only the required characters are escaped.
    package mutating func append(string text: String) {
        bytes.append(UInt8(ascii: "\""))
        append(escaped: text)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped text: String) {
        var text = text
        text.withUTF8 { text in
            var written = 0
            for (index, byte) in text.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: text[written..<index])
                append(escape: byte)
                written = index + 1
            }
            bytes.append(contentsOf: text[written...])
        }
    }

    private mutating func append(escape byte: UInt8) {
        if byte < 0x20 {
            append("\\u00")
            bytes.append(Self.hexDigit(byte >> 4))
            bytes.append(Self.hexDigit(byte & 0xF))
        } else {
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        }
    }

    private mutating func begin(_ name: StaticString) {
        if !isFirstMember { bytes.append(UInt8(ascii: ",")) }
        isFirstMember = false
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }
}
