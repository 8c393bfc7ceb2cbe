/// Finds words that look like a time and are none, such as `at 25:00`, together with the phrases next to them.
///
/// In `friday at 25:00 to call ada`, Friday alone isn't what the author means.
enum Misreading {
    private static let separators: Set<String> = [",", "and", "or"]
    /// The maximum number of tokens of a phrase before such words.
    private static let mostBefore = 20

    /// Returns the indices of such words at the beginning of a text, or after the phrase there; nil if there are none.
    ///
    /// - Parameter end: The index after the phrase at the beginning; nil if there is none.
    static func range(atBeginningOf tokens: [Token], after end: Int?) -> Range<Int>? {
        let first = end ?? 0
        for index in first..<max(first, min(tokens.count, first + mostBefore)) {
            guard let words = SeemingTime(tokens, at: index) else { continue }
            var before = tokens[..<index]
            while let last = before.last, separators.contains(last.text) { before.removeLast() }
            // "At friday 25:00" is friday too.
            let day = before.first?.text == "at" ? before.dropFirst() : before
            guard before.isEmpty || before.count == end || isPhrase(day) else { continue }
            let next = FoundPhrase(tokens, at: words.end)
            return (before.isEmpty ? index : 0)..<(next?.end ?? words.end)
        }
        return nil
    }

    /// Returns the indices of such words at the end of a text, or before the phrase there; nil if there are none.
    ///
    /// - Parameter phrase: The phrase at the end; nil if there is none.
    static func range(atEndOf tokens: [Token], before phrase: FoundPhrase?) -> Range<Int>? {
        for index in max(0, tokens.count - FoundPhrase.mostTokens)..<tokens.count {
            guard let words = SeemingTime(tokens, at: index) else { continue }
            let isLast = phrase.map { $0.start == words.end } ?? FoundPhrase.isEnd(words.end, tokens)
            guard isLast else { continue }
            let start = (max(0, index - mostBefore)..<index).first { isPhrase(tokens[$0..<index]) }
            // "To build it 1:100" says no time.
            guard words.isCertain || start != nil else { continue }
            return (start ?? index)..<(phrase?.end ?? words.end)
        }
        return nil
    }

    /// Whether some tokens are a phrase and nothing else.
    private static func isPhrase(_ tokens: ArraySlice<Token>) -> Bool {
        let tokens = Array(tokens)
        guard let found = FoundPhrase(tokens, at: 0) else { return false }
        return FoundPhrase.isEnd(found.end, tokens)
    }
}

/// Words that look like a time and are none.
private struct SeemingTime {
    /// The index after the last token.
    let end: Int
    /// Whether they can hardly be anything else.
    let isCertain: Bool

    /// Finds them at a token; nil if there are none, or if they are a time.
    init?(_ tokens: [Token], at index: Int) {
        var parser = PhraseParser(tokens, at: index, allowsBareHours: false)
        guard let isCertain = parser.seemingTime(), FoundPhrase(tokens, at: index) == nil else { return nil }
        (end, self.isCertain) = (parser.position, isCertain)
    }
}
