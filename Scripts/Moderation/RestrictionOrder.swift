import Heybot

/// How long a ban or a quiet lasts, and why it is set: `for 2h spamming`, or `spamming for 2h`.
struct RestrictionOrder: Hashable {
    /// Nil if it lasts until somebody lifts it.
    let span: TimeSpan?
    /// Empty if there is none.
    let reason: String

    /// The maximum number of words of a time, as in `2 hours and 30 minutes`.
    private static let mostWords = 6
    static let longestReason = 200

    /// Parses what follows the name.
    ///
    /// - Throws: A ``Refusal`` if it begins with a time that isn't valid.
    init(_ text: Substring) throws(Refusal) {
        let parts = try Self.parts(text.beginning(bytes: 2_000).split(whereSeparator: \.isWhitespace))
        span = parts.span
        reason = String(oneLine: parts.reason.joined(separator: " "), limit: Self.longestReason)
    }

    private static func parts(
        _ words: [Substring]
    ) throws(Refusal) -> (span: TimeSpan?, reason: ArraySlice<Substring>) {
        if words.count > 1, words[0].lowercased() == "for", words[1].first?.isNumber == true {
            for count in stride(from: min(mostWords, words.count - 1), through: 1, by: -1) {
                if let span = Self.span(words[1...count]) { return (span, words[(count + 1)...]) }
            }
            throw Refusal("For how long? Say a time such as 30m, 2h or 1 day, up to \(TimeSpan.longest).")
        }
        if let place = words.lastIndex(where: { $0.lowercased() == "for" }), place + 1 < words.count,
            let span = Self.span(words[(place + 1)...])
        {
            return (span, words[..<place])
        }
        return (nil, words[...])
    }

    private static func span(_ words: ArraySlice<Substring>) -> TimeSpan? {
        TimeSpan(words.joined(separator: " ")[...])
    }
}
