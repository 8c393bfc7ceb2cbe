/// A regex that several tasks can match with at the same time.
///
/// `Regex` isn't Sendable in Swift 6.3, because it may contain custom parsers. This box is safe because the regex is passed
/// `sending`, kept private and never changed, and the only thing that matching changes in it, the lazily compiled program, is
/// set atomically.
struct SendableRegex<Output>: @unchecked Sendable {
    private let regex: Regex<Output>
    /// The pattern's text; nil if it was built with RegexBuilder from parts that can't be printed.
    let text: String?

    /// What every matching text contains.
    let requirements: MatchRequirements
    /// Why matching could take exponential time; nil if it can't.
    let backtrackingRisk: BacktrackingRisk?

    /// Prepares a regex: it ignores case unless `caseSensitive`, and `\b` is the simple word boundary of other engines.
    init(_ regex: sending Regex<Output>, caseSensitive: Bool) {
        let literal = regex.patternSource
        text = literal ?? regex._literalPattern
        let tree = literal.flatMap { RegexAST($0, dialect: .swift, ignoresCase: !caseSensitive) }
        requirements = MatchRequirements(of: tree)
        backtrackingRisk = tree?.backtrackingRisk()
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
