/// Recognizes texts that are addressed to the robot: `NAME text`, `@NAME: text`, `NAME, text`, and the same with the alias.
///
/// The name is case-insensitive, and must be a whole word: `heybots` doesn't address the robot. The name with punctuation only,
/// as in `heybot?`, addresses the robot with an empty text.
package struct Addressing: Sendable {
    /// The name and the alias, folded, longest first, because one may begin with the other.
    private let names: [[Character]]
    /// The names as bytes; nil if they aren't all ASCII.
    private let asciiNames: [[UInt8]]?
    /// The bytes that an addressed text may begin with.
    private let firstBytes: ByteSet

    package init(name: String, alias: String?) {
        names = [name, alias ?? ""].filter { !$0.isEmpty }.map { $0.map(Self.fold) }.sorted { $0.count > $1.count }
        let bytes = names.map { Array(String($0).utf8) }
        asciiNames = bytes.joined().allSatisfy { $0 < 0x80 } ? bytes : nil
        // A character that isn't ASCII may fold to one that is.
        let firsts = ByteSet(bytes.compactMap(\.first)).inBothCases.union(ByteSet(0...0x20)).union(.beyondASCII)
        firstBytes = asciiNames == nil ? .all : firsts.union(ByteSet([UInt8(ascii: "@")]))
    }

    /// Whether the bytes show that the text begins with none of the names.
    ///
    /// This is a fast path: most messages aren't addressed.
    private func isForOthers(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isForOthers($0) }
    }

    private func isForOthers(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first else { return false }
        if !firstBytes.contains(first) { return true }
        guard let asciiNames else { return false }
        // Beyond ASCII, only white space and what equals an ASCII character or folds to one can begin such a text: U+037E is `;`,
        // U+1FEF a grave accent, and the Kelvin sign a k.
        if first >= 0x80, first != 0xc2, first != 0xcd, !(0xe1...0xe3).contains(first) { return true }
        var bytes = text.drop { $0 <= 0x20 }
        if bytes.first == UInt8(ascii: "@") { bytes.removeFirst() }
        return asciiNames.allSatisfy { name in
            for (byte, expected) in zip(bytes, name) {
                // A character that isn't ASCII may fold to one that is.
                if byte >= 0x80 { return false }
                if ASCIIFolding.lowercase(byte) != expected { return true }
            }
            return false
        }
    }

    /// Whether a text is addressed to the robot, judging by its first 1,024 bytes.
    package func isAddressed(_ text: String) -> Bool {
        if isForOthers(text) { return false }
        if text.utf8.count <= 1_024 { return words(of: text) != nil }
        return words(of: String(decoding: text.utf8.prefix(1_024), as: UTF8.self)) != nil
    }

    /// The text without the robot's name and surrounding spaces; nil if the text isn't addressed to the robot.
    func words(of text: String) -> Substring? {
        if isForOthers(text) { return nil }
        var text = text
        if let asciiNames, text.withUTF8({ $0.reduce(0, |) < 0x80 }) {
            return Self.words(of: text, afterOneOf: asciiNames)
        }
        return wordsByCharacter(of: text)
    }

    /// The same, character by character: for texts that aren't all ASCII, and as the oracle of the tests.
    func wordsByCharacter(of text: String) -> Substring? {
        var rest = Self.trimmed(text[...])
        if rest.first == "@" { rest = rest.dropFirst() }
        for name in names {
            if let words = Self.words(of: rest, after: name) { return words }
        }
        return nil
    }

    /// The text of a direct message, in which the robot's name is optional.
    func privateWords(of text: String) -> Substring {
        words(of: text) ?? Self.trimmed(text[...])
    }

    /// The same for a text and names that are all ASCII: a tenth of the cost.
    private static func words(of text: String, afterOneOf names: [[UInt8]]) -> Substring? {
        var text = text
        guard let range = text.withUTF8({ wordRange(in: $0, afterOneOf: names) }) else { return nil }
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: range.count)]
    }

    private static func wordRange(
        in bytes: UnsafeBufferPointer<UInt8>, afterOneOf names: [[UInt8]]
    ) -> Range<Int>? {
        let trimmed = trimmed(0..<bytes.count, in: bytes)
        let start = bytes[trimmed].first == UInt8(ascii: "@") ? trimmed.lowerBound + 1 : trimmed.lowerBound
        for name in names
        where bytes[start..<trimmed.upperBound].starts(with: name, by: { ASCIIFolding.lowercase($0) == $1 }) {
            var rest = start + name.count..<trimmed.upperBound
            if let next = bytes[rest].first {
                if next == UInt8(ascii: ":") || next == UInt8(ascii: ",") || next == UInt8(ascii: ";") {
                    rest = rest.lowerBound + 1..<rest.upperBound
                } else if !isSpace(next), name.last.map(isPartOfWord) ?? true {
                    guard bytes[rest].allSatisfy({ isClosing($0) || isSpace($0) }) else { continue }
                    return rest.upperBound..<rest.upperBound
                }
            }
            return Self.trimmed(rest, in: bytes)
        }
        return nil
    }

    /// The range without white space at its ends.
    private static func trimmed(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Whether an ASCII character is white space.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// Whether an ASCII character is punctuation that ends a sentence.
    static func isClosing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: ".")
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        ASCIIFolding.lowercase(byte) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
            || byte == UInt8(ascii: "_")
    }

    private static func words(of text: Substring, after name: [Character]) -> Substring? {
        var end = text.startIndex
        for character in name {
            guard end < text.endIndex, fold(text[end]) == character else { return nil }
            end = text.index(after: end)
        }
        var rest = text[end...]
        if let next = rest.first {
            if isColon(next) {
                rest = rest.dropFirst()
            } else if !next.isWhitespace, name.last.map(isPartOfWord) ?? true {
                // A name must end at a word boundary, an alias such as "!" needn't.
                return rest.allSatisfy { isClosing($0) || $0.isWhitespace } ? rest.suffix(0) : nil
            }
        }
        return trimmed(rest)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }

    private static func fold(_ character: Character) -> Character {
        let lower = character.lowercased()
        return lower.count == 1 ? lower.first ?? character : character
    }

    private static func isColon(_ character: Character) -> Bool {
        switch character {
        case ":", ",", ";", "：", "，", "；": true
        default: false
        }
    }

    private static let politeWords = ["please", "could you", "can you", "would you"]

    /// Returns a text without words such as `could you please` at its beginning; nil if there are none, or nothing else.
    static func withoutPoliteWords(_ text: Substring) -> Substring? {
        // Few texts begin with the first two letters of one of these.
        let beginning = text.utf8.prefix(2).map(ASCIIFolding.lowercase)
        guard politeWords.contains(where: { $0.utf8.starts(with: beginning) }) else { return nil }
        var rest = text
        // "Please, could you please" has the most.
        for _ in 0..<3 {
            let found = politeWords.first { words in
                guard rest.utf8.starts(with: words.utf8, by: { ASCIIFolding.lowercase($0) == $1 }) else { return false }
                let next = Substring(rest.utf8.dropFirst(words.utf8.count)).first
                return next.map { $0.isWhitespace || $0 == "," } ?? false
            }
            guard let found else { break }
            rest = rest.dropFirst(found.count).drop { $0.isWhitespace || $0 == "," }
        }
        return rest.isEmpty || rest.startIndex == text.startIndex ? nil : rest
    }

    /// Whether the character is punctuation that ends a sentence.
    static func isClosing(_ character: Character) -> Bool {
        switch character {
        case "!", "?", ".", "…", "！", "？", "。": true
        default: false
        }
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
