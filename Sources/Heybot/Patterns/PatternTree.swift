/// A regular expression's text as a tree, with as much of it as tells what its matches look like.
///
/// Capturing groups and option groups are transparent: what is in them stands if they stood, with the options in
/// force there already taken into account.
package indirect enum PatternTree: Hashable, Sendable {
    /// Matches without taking any text.
    case empty
    /// The start of the whole text: `^` (without the option `m`) or `\A`.
    case start
    /// The very end of the whole text: `$` (without the option `m`) or `\z`.
    case end
    /// Another place between two characters: `\b`, `\B`, `\Z`, `\G`, `^` or `$` with the option `m`.
    case boundary
    /// One character.
    case character(CharacterClass)
    /// One after the other.
    case sequence([PatternTree])
    /// One of these.
    case alternatives([PatternTree])
    /// The same again and again.
    case repetition(PatternTree, least: Int, most: Int?, Backtracking)
    /// What is kept as it was matched first: `(?>…)`.
    case atomic(PatternTree)
    /// What stands ahead or behind, or doesn't, and takes no text.
    case lookaround(PatternTree, isNegative: Bool)
    /// Any text, or none: a backreference, or something that isn't known any better.
    case anything

    /// How a repetition gives back what it took.
    package enum Backtracking: Hashable, Sendable {
        /// As much as there is, and less if it must be.
        case eager
        /// As little as there must be, and more if it must be.
        case reluctant
        /// As much as there is, and never less.
        case possessive
    }
}
