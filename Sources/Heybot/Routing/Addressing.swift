import Patterns

/// Tells whether words are addressed to the robot: `NAME text`, `@NAME: text`, `NAME, text`, the alias likewise.
///
/// The name matches without regard to case, and only as a whole word: `heybots` is somebody else.
package struct Addressing: Sendable {
    /// The names to answer to, folded, longest first: one may begin with another.
    private let names: [[Character]]
    /// The bytes an addressed text may begin with, where every name begins with an ASCII character.
    private let firstBytes: ByteSet?

    package init(name: String, alias: String?) {
        let firsts = [name, alias ?? ""].compactMap(\.first)
        // A character that isn't ASCII may fold to one that is, so those are always looked at.
        firstBytes =
            firsts.allSatisfy(\.isASCII)
            ? ByteSet(firsts.flatMap { "\($0.lowercased())\($0.uppercased())@ \t".utf8 }).union(.beyondASCII) : nil
        names = [name, alias ?? ""].filter { !$0.isEmpty }.map { $0.map(Self.fold) }.sorted { $0.count > $1.count }
    }

    /// What is said to the robot, without its name and the spaces around; nil where it isn't meant.
    func words(of text: String) -> Substring? {
        // Most of what is said is for others, which its first byte tells.
        if let firstBytes, let first = text.utf8.first, !firstBytes.contains(first), first > 0x20 { return nil }
        var rest = Self.trimmed(text[...])
        if rest.first == "@" { rest = rest.dropFirst() }
        for name in names {
            if let words = Self.words(of: rest, after: name) { return words }
        }
        return nil
    }

    /// The words themselves where they are said in private, where the robot's name need not be.
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
                return nil
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
        character == ":" || character == "," || character == "：" || character == "，"
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
