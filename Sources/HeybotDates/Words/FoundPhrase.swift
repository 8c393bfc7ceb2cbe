/// A phrase about a time, and where it is in a text.
struct FoundPhrase {
    /// The maximum number of words, numbers and other characters of a phrase.
    static let mostTokens = 60

    let phrase: DatePhrase
    /// The index of the first token.
    let start: Int
    /// The index after the last token.
    let end: Int

    var range: Range<Int> { start..<end }

    /// Finds the phrase that begins at a token; nil if there is none.
    ///
    /// - Parameter allowsBareHours: Whether a number alone is an hour.
    init?(_ tokens: [Token], at start: Int, allowsBareHours: Bool = false) {
        let some = Array(tokens.prefix(start + Self.mostTokens))
        var parser = PhraseParser(some, at: start, allowsBareHours: allowsBareHours)
        guard let phrase = parser.phrase(), parser.position > start else { return nil }
        (self.phrase, self.start, end) = (phrase, start, parser.position)
    }

    /// Whether nothing but punctuation follows a token.
    static func isEnd(_ index: Int, _ tokens: [Token]) -> Bool {
        tokens.dropFirst(index).allSatisfy { PhraseParser.closings.contains($0.text) }
    }
}
