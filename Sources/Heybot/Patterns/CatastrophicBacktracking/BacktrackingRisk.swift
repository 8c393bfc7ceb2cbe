/// A repetition that can match one text in more than one way, and so is prone to catastrophic backtracking.
///
/// Each further repetition multiplies the ways, so a backtracking engine can take exponential time for a text that almost
/// matches.
package struct BacktrackingRisk: Hashable, Sendable, CustomStringConvertible {
    /// The repeated part as a pattern, shortened if it is long.
    package let part: String
    /// A short text that the repetition matches in more than one way.
    package let example: String

    package var description: String {
        "repeating `\(part)` can match \(example.debugDescription) in more than one way"
    }
}
