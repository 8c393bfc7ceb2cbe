/// A word, a number or another character of a text.
struct Token {
    enum Kind {
        case word, number, symbol
    }

    let kind: Kind
    /// In lower case, with straight apostrophes.
    let text: String
    /// Whether no space precedes it.
    let isGlued: Bool
    let range: Range<String.Index>

    /// The value of a number; nil if it has more than nine digits.
    var number: Int? { kind == .number && text.utf8.count <= 9 ? Int(text) : nil }

    /// Splits a text into tokens.
    ///
    /// An apostrophe between letters is part of a word.
    static func tokens(of text: String) -> [Token] {
        var tokens: [Token] = []
        var position = text.startIndex
        var isGlued = false
        while position < text.endIndex {
            let start = position
            let kind = Self.kind(of: text[start])
            position = text.index(after: start)
            guard let kind else {
                isGlued = false
                continue
            }
            while kind != .symbol, position < text.endIndex, Self.continues(text, at: position, kind) {
                position = text.index(after: position)
            }
            let written = text[start..<position].lowercased()
            tokens.append(
                Token(
                    kind: kind, text: written.replacing("’", with: "'"), isGlued: isGlued && start > text.startIndex,
                    range: start..<position))
            isGlued = true
        }
        return tokens
    }

    /// Returns the kind of token that a character begins; nil for a space.
    private static func kind(of character: Character) -> Kind? {
        if character.isWhitespace { return nil }
        if isDigit(character) { return .number }
        return character.isLetter ? .word : .symbol
    }

    private static func continues(_ text: String, at position: String.Index, _ kind: Kind) -> Bool {
        let character = text[position]
        if kind == .number { return isDigit(character) }
        if character.isLetter { return true }
        let next = text.index(after: position)
        return (character == "'" || character == "’") && next < text.endIndex && text[next].isLetter
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
