/// The syntax tree of a regular expression, reduced to what determines the form of its matches.
///
/// Capturing groups and option groups are replaced by their content, with the options already applied to it.
package indirect enum RegexAST: Hashable, Sendable {
    /// Matches the empty text.
    case empty
    /// The start of the whole text: `^` (without the option `m`) or `\A`.
    case start
    /// The end of the whole text: `$` (without the option `m`) or `\z`.
    case end
    /// Another assertion about a position: `\b`, `\B`, `\Z`, `\G`, `^` or `$` with the option `m`.
    case boundary
    /// One character.
    case character(PossibleCharacters)
    /// Parts in sequence.
    case sequence([RegexAST])
    /// One of several alternatives.
    case alternatives([RegexAST])
    /// A repetition; `most` is nil if it has no upper limit.
    case repetition(RegexAST, least: Int, most: Int?, RepetitionBehavior)
    /// An atomic group, which isn't backtracked into: `(?>…)`.
    case atomic(RegexAST)
    /// A lookahead or lookbehind.
    case lookaround(RegexAST, isNegative: Bool)
    /// Any text, including the empty one: a backreference, or something that isn't analyzed further.
    case anything

    /// How a repetition backtracks.
    package enum RepetitionBehavior: Hashable, Sendable {
        /// As many as possible; fewer on backtracking.
        case eager
        /// As few as possible; more on backtracking.
        case reluctant
        /// As many as possible, without backtracking.
        case possessive
    }
}
