/// The words of a message for somebody, without a condition such as `when she's back`: each is passed on then anyway.
struct LetterText: Hashable, Sendable {
    /// The text to pass on; empty if the words said nothing else.
    let text: String
    /// Whether words were left out.
    ///
    /// Perhaps they were about somebody else, so the author should see what remains.
    let isShortened: Bool

    /// - Parameter words: The text in one line.
    init(_ words: String) {
        if let match = words.prefixMatch(of: Self.conditionAtBeginning) {
            (text, isShortened) = (String(words[match.range.upperBound...]), true)
        } else if let match = words.firstMatch(of: Self.conditionAtEnd) {
            (text, isShortened) = (String(words[..<match.range.lowerBound]), true)
        } else {
            (text, isShortened) = (words, false)
        }
    }

    // Computed, because a regex isn't Sendable. "When I'm back" is about the author, so it belongs to the message.

    private static var conditionAtBeginning: Regex<Substring> {
        /(?:when|once|as soon as) (?:(?:he|she|they)(?:['’](?:s|re)| is| are| comes?| gets?)? (?:next )?(?:back|here|around|online|returns?|speaks?|talks?)(?: again)?|you (?:next )?see (?:him|her|them))(?:[:,]? (?:that )?|[:,]|$)/
            .ignoresCase()
    }

    private static var conditionAtEnd: Regex<Substring> {
        /(?:,)? (?:when|once|as soon as) (?:(?:he|she|they)(?:['’](?:s|re)| is| are| comes?| gets?)? (?:next )?(?:back|here|around|online|returns?|speaks?|talks?)(?: again)?|you (?:next )?see (?:him|her|them))[.!]*$/
            .ignoresCase()
    }
}
