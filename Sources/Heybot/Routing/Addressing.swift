/// Tells whether words are addressed to the robot: `NAME text`, `@NAME: text`, `NAME, text`, the alias likewise.
///
/// The name matches without regard to case, and only as a whole word: `heybots` is somebody else. Alone with punctuation,
/// as in `heybot?`, it addresses the robot without words.
package struct Addressing: Sendable {
    /// The names to answer to, folded, longest first: one may begin with another.
    private let names: [[Character]]
    /// The same as bytes, if all are ASCII.
    private let asciiNames: [[UInt8]]?
    /// The bytes an addressed text may begin with.
    private let firstBytes: ByteSet

    package init(name: String, alias: String?) {
        names = [name, alias ?? ""].filter { !$0.isEmpty }.map { $0.map(Self.fold) }.sorted { $0.count > $1.count }
        let bytes = names.map { Array(String($0).utf8) }
        asciiNames = bytes.joined().allSatisfy { $0 < 0x80 } ? bytes : nil
        // A character that isn't ASCII may fold to one that is.
        let firsts = ByteSet(bytes.compactMap(\.first)).inBothCases.union(ByteSet(0...0x20)).union(.beyondASCII)
        firstBytes = asciiNames == nil ? .all : firsts.union(ByteSet([UInt8(ascii: "@")]))
    }

    /// Whether the text begins with none of the names, as far as bytes tell: most of what is said is for others.
    private func isForOthers(_ text: String) -> Bool {
        if let first = text.utf8.first, !firstBytes.contains(first) { return true }
        guard let asciiNames else { return false }
        var bytes = text.utf8.drop { $0 <= 0x20 }
        if bytes.first == UInt8(ascii: "@") { bytes.removeFirst() }
        return asciiNames.allSatisfy { name in
            for (byte, expected) in zip(bytes, name) {
                // A character that isn't ASCII may fold to one that is.
                if byte >= 0x80 { return false }
                if (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) != expected { return true }
            }
            return false
        }
    }

    /// Whether a text is said to the robot, as far as its beginning tells.
    func isAddressed(_ text: String) -> Bool {
        if isForOthers(text) { return false }
        return words(of: String(decoding: text.utf8.prefix(1_024), as: UTF8.self)) != nil
    }

    /// What is said to the robot, without its name and the spaces around; nil if it isn't meant.
    func words(of text: String) -> Substring? {
        if isForOthers(text) { return nil }
        var rest = Self.trimmed(text[...])
        if rest.first == "@" { rest = rest.dropFirst() }
        for name in names {
            if let words = Self.words(of: rest, after: name) { return words }
        }
        return nil
    }

    /// The words themselves if they are said in private, where the robot's name need not be.
    func privateWords(of text: String) -> Substring {
        words(of: text) ?? Self.trimmed(text[...])
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
                // An alias such as "!" needs nothing after it, a name does.
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

    /// Whether it is punctuation that ends what people say.
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
