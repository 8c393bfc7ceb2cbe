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
        if let first = text.utf8.first, !firstBytes.contains(first) { return true }
        guard let asciiNames else { return false }
        var bytes = text.utf8.drop { $0 <= 0x20 }
        if bytes.first == UInt8(ascii: "@") { bytes.removeFirst() }
        return asciiNames.allSatisfy { name in
            for (byte, expected) in zip(bytes, name) {
                // A character that isn't ASCII may fold to one that is.
                if byte >= 0x80 { return false }
                if Self.lowercased(byte) != expected { return true }
            }
            return false
        }
    }

    /// Whether a text is addressed to the robot, judging by its first 1,024 bytes.
    package func isAddressed(_ text: String) -> Bool {
        if isForOthers(text) { return false }
        return words(of: String(decoding: text.utf8.prefix(1_024), as: UTF8.self)) != nil
    }

    /// The text without the robot's name and surrounding spaces; nil if the text isn't addressed to the robot.
    func words(of text: String) -> Substring? {
        if isForOthers(text) { return nil }
        if let asciiNames, text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.words(of: text, afterOneOf: asciiNames) }
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
        var bytes = trimmed(text[...].utf8)
        if bytes.first == UInt8(ascii: "@") { bytes = bytes.dropFirst() }
        for name in names where bytes.starts(with: name, by: { lowercased($0) == $1 }) {
            var rest = bytes.dropFirst(name.count)
            if let next = rest.first {
                if next == UInt8(ascii: ":") || next == UInt8(ascii: ",") || next == UInt8(ascii: ";") {
                    rest = rest.dropFirst()
                } else if !isSpace(next), name.last.map(isPartOfWord) ?? true {
                    guard rest.allSatisfy({ isClosing($0) || isSpace($0) }) else { continue }
                    return Substring(rest.suffix(0))
                }
            }
            return Substring(trimmed(rest))
        }
        return nil
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return bytes
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    /// Whether an ASCII character is white space.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// Whether an ASCII character is punctuation that ends a sentence.
    static func isClosing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: ".")
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        lowercased(byte) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
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
        var rest = text
        // "Please, could you please" has the most.
        for _ in 0..<3 {
            let found = politeWords.first { words in
                guard rest.utf8.starts(with: words.utf8, by: { lowercased($0) == $1 }) else { return false }
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
