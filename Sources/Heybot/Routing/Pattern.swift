/// A regex that many tasks may match with at once.
///
/// `Regex` isn't Sendable in Swift 6.3, because it may carry custom parsers. What makes this box safe: the regex is
/// handed over (`sending`), kept private and never changed, and the one thing matching changes in it, the lazily
/// compiled program, is set atomically.
struct Pattern<Output>: @unchecked Sendable {
    private let regex: Regex<Output>
    /// The pattern as it can be printed; nil for one put together with RegexBuilder from parts that can't.
    let text: String?

    /// What every text that matches has.
    let needs: Needs
    /// Why matching could take forever; nil if it can't.
    let ambiguity: Ambiguity?

    /// Ignores case unless told not to; `\b` is the plain word boundary other engines have.
    init(_ regex: sending Regex<Output>, caseSensitive: Bool) {
        let literal = regex.literalText
        text = literal ?? regex._literalPattern
        let tree = literal.flatMap { PatternTree($0, dialect: .swift, ignoresCase: !caseSensitive) }
        needs = Needs(of: tree)
        ambiguity = tree?.ambiguity()
        self.regex = (caseSensitive ? regex : regex.ignoresCase()).wordBoundaryKind(.simple)
    }

    /// The first match anywhere in the text.
    func search(_ text: String) throws -> Output? {
        try regex.firstMatch(in: text)?.output
    }

    /// The match at the beginning of the text.
    func prefix(_ text: Substring) throws -> Output? {
        try regex.prefixMatch(in: text)?.output
    }
}
