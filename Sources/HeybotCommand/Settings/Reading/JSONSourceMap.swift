import FoundationEssentials

/// The positions of members in a JSON5 text, and of its first syntax error.
///
/// The decoder doesn't report either.
struct JSONSourceMap {
    /// A member of an object.
    struct Member {
        /// The path of its keys, from the outermost object, separated by dots.
        let key: String
        /// The number of objects and arrays around its object.
        let depth: Int
        /// The line of its key, from 1.
        let line: Int
        /// The range of its value, in bytes.
        let value: Range<Int>
    }

    /// The maximum nesting, the same as the decoder's.
    private static let maxDepth = 512

    private(set) var members: [Member] = []
    /// Members whose key occurs earlier in the same object.
    private(set) var repeated: [Member] = []
    /// The first syntax error, if one was found.
    private(set) var problem: (line: Int, reason: String)?
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        readValue("")
        skipSpace()
        if peek != nil { note("expected the end of the file") }
    }

    private mutating func readValue(_ prefix: String) {
        skipSpace()
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else {
            note("it is nested too deeply")
            position = bytes.count
            return
        }
        switch peek {
        case UInt8(ascii: "{"): readObject(prefix)
        case UInt8(ascii: "["): readArray(prefix)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): readString()
        case nil: note("it ends too soon")
        default: readWord()
        }
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func readWord() {
        let start = position
        readBare()
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        let isNumber = word.first.map { "+-.0123456789IN".contains($0) } ?? false
        if !isNumber, !["true", "false", "null"].contains(word) {
            // The error doesn't quote the text, which could be a secret.
            note("expected a value; strings need quotes")
        }
    }

    private mutating func readObject(_ prefix: String) {
        advance()
        skipSpace()
        var names: Set<String> = []
        while let byte = peek, byte != UInt8(ascii: "}") {
            let (keyLine, start) = (line, position)
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { readString() } else { readBare() }
            let name = name(start..<position)
            let key = prefix + name
            skipSpace()
            if peek == UInt8(ascii: ":") { advance() } else { note("expected a colon after \(name)") }
            skipSpace()
            let valueStart = position
            readValue(key + ".")
            let member = Member(key: key, depth: depth - 1, line: keyLine, value: valueStart..<position)
            members.append(member)
            if !names.insert(name).inserted { repeated.append(member) }
            skipComma(before: UInt8(ascii: "}"))
            if position == start { return }
        }
        if peek == nil { note("an object has no closing }") }
        advance()
    }

    private mutating func readArray(_ prefix: String) {
        advance()
        skipSpace()
        var index = 0
        while let byte = peek, byte != UInt8(ascii: "]") {
            let start = position
            readValue("\(prefix)\(index).")
            index += 1
            skipComma(before: UInt8(ascii: "]"))
            if position == start { return }
        }
        if peek == nil { note("an array has no closing ]") }
        advance()
    }

    private mutating func readString() {
        let quote = peek
        advance()
        while let byte = peek, byte != quote {
            if byte == UInt8(ascii: "\n") { note("a string has no closing quote") }
            if byte == UInt8(ascii: "\\") { advance() }
            advance()
        }
        if peek == nil { note("a string has no closing quote") }
        advance()
    }

    /// Reads a text without quotes.
    private mutating func readBare() {
        while let byte = peek, !",:]}/ \t\r\n".utf8.contains(byte) { advance() }
    }

    /// The key in the range, without quotes and escapes.
    private func name(_ range: Range<Int>) -> String {
        let text = bytes[range]
        guard text.first == UInt8(ascii: "\"") || text.first == UInt8(ascii: "'") else {
            return String(decoding: text, as: UTF8.self)
        }
        if !text.contains(UInt8(ascii: "\\")) { return String(decoding: text.dropFirst().dropLast(), as: UTF8.self) }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return (try? decoder.decode(String.self, from: Data(text))) ?? String(decoding: text, as: UTF8.self)
    }

    private mutating func skipComma(before end: UInt8) {
        skipSpace()
        if peek == UInt8(ascii: ",") { advance() } else if let byte = peek, byte != end { note("expected a comma") }
        skipSpace()
    }

    private mutating func note(_ reason: String) {
        if problem == nil { problem = (line, reason) }
    }

    private mutating func skipSpace() {
        while let byte = peek {
            if " \t\r\n\u{b}\u{c}".utf8.contains(byte) {
                advance()
            } else if byte == UInt8(ascii: "/"), bytes.dropFirst(position + 1).first == UInt8(ascii: "*") {
                skip(to: "*/")
            } else if byte == UInt8(ascii: "/") {
                skip(to: "\n")
            } else if byte == 0xef || byte == 0xc2 {
                // A byte order mark, or a space that isn't ASCII.
                advance()
                while let next = peek, next & 0xc0 == 0x80 { advance() }
            } else {
                return
            }
        }
    }

    /// Skips to after the next occurrence of the text, or to the end.
    private mutating func skip(to end: String) {
        while position < bytes.count, !bytes[position...].starts(with: end.utf8) { advance() }
        for _ in end.utf8 { advance() }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }
}
