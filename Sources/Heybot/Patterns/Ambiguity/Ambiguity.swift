/// A repetition whose parts can match one text in more than one way.
///
/// Each further repetition multiplies the ways, so a text that almost matches can take a backtracking engine forever.
package struct Ambiguity: Hashable, Sendable, CustomStringConvertible {
    /// What is repeated, written as a pattern; long ones are cut.
    package let part: String
    /// A short text that repeating the part matches in more than one way.
    package let example: String

    package var description: String {
        "repeating `\(part)` can match \(example.debugDescription) in more than one way"
    }
}

extension PatternTree {
    /// Why the first match of this can take a backtracking engine exponential time, or nil if it can't.
    ///
    /// Anchors, boundaries and what stands ahead or behind count as if they always held, so a pattern can be refused
    /// that is harmless because of them. The work is limited: a repetition that is too big to look at counts as
    /// harmless. Ambiguity that costs polynomial time, as `.*.*x`, isn't told.
    package func ambiguity() -> Ambiguity? {
        guard hasChoiceInRepetition(isRepeated: false) else { return nil }
        var check = AmbiguityCheck()
        return check.ambiguity(of: self, canFailLater: false, isCovered: false)
    }

    /// Whether a repetition, alternatives or a backreference are repeated: without that nothing is ambiguous.
    private func hasChoiceInRepetition(isRepeated: Bool) -> Bool {
        switch self {
        case .empty, .start, .end, .boundary, .character: false
        case .anything: isRepeated
        case .alternatives(let parts):
            isRepeated || parts.contains { $0.hasChoiceInRepetition(isRepeated: false) }
        case .sequence(let parts): parts.contains { $0.hasChoiceInRepetition(isRepeated: isRepeated) }
        case .repetition(let part, _, let most, _):
            isRepeated || part.hasChoiceInRepetition(isRepeated: most.map { $0 > 1 } ?? true)
        case .atomic(let part), .lookaround(let part, _): part.hasChoiceInRepetition(isRepeated: false)
        }
    }
}

/// The look for ambiguous repetitions in one pattern.
private struct AmbiguityCheck {
    /// How many more steps may be taken, for the pattern as a whole.
    private var steps = AutomatonLimits.steps

    /// The first ambiguity in a tree.
    ///
    /// - Parameters:
    ///   - canFailLater: Whether a match of this can be given up because of what comes after it. If it can't, the
    ///     first way to match is the last one tried.
    ///   - isCovered: Whether this is in a repetition that has been looked at as a whole.
    mutating func ambiguity(of tree: PatternTree, canFailLater: Bool, isCovered: Bool) -> Ambiguity? {
        switch tree {
        case .empty, .start, .end, .boundary, .character, .anything: return nil
        case .sequence(let parts):
            var canFailLater = canFailLater
            for part in parts.reversed() {
                if let found = ambiguity(of: part, canFailLater: canFailLater, isCovered: isCovered) { return found }
                canFailLater = canFailLater || !part.alwaysMatches
            }
            return nil
        case .alternatives(let parts):
            for part in parts {
                if let found = ambiguity(of: part, canFailLater: canFailLater, isCovered: isCovered) { return found }
            }
            return nil
        case .repetition(let part, let least, let most, let backtracking):
            let isOpaque = backtracking.keeps(part, least: least, most: most)
            let canFailLater = canFailLater && !isOpaque
            var isCovered = isCovered && !isOpaque
            // If nothing comes later, only that there aren't enough of them can make it try the other ways.
            let canFail = canFailLater || least >= PatternTree.manyRepetitions
            if canFail, !isCovered, part.hasFewParts, part.countsAsUnbounded(most: most) {
                switch verdict(onRepeated: part, most: most) {
                case .ambiguous(let found): return smallest(in: part) ?? found
                case .unambiguous: isCovered = true
                case .tooBig: break
                }
            }
            // One of them can be given up if the next, that there must be, doesn't match.
            return ambiguity(of: part, canFailLater: canFailLater || least > 1, isCovered: isCovered)
        case .atomic(let part), .lookaround(let part, _):
            return ambiguity(of: part, canFailLater: false, isCovered: false)
        }
    }

    /// The ambiguity of an innermost ambiguous repetition, to tell no more than what is wrong.
    private mutating func smallest(in tree: PatternTree) -> Ambiguity? {
        switch tree {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return nil
        case .sequence(let parts), .alternatives(let parts):
            for part in parts {
                if let found = smallest(in: part) { return found }
            }
            return nil
        case .repetition(let part, let least, let most, let backtracking):
            guard !backtracking.keeps(part, least: least, most: most) else { return nil }
            if let found = smallest(in: part) { return found }
            guard part.countsAsUnbounded(most: most), case .ambiguous(let found) = verdict(onRepeated: part, most: most)
            else { return nil }
            return found
        }
    }

    /// Whether one or more of a part, one after the other, match some text in two ways.
    ///
    /// That alone decides: such texts, one after the other, are matched in exponentially many ways; and an automaton
    /// of one loop without such a text has only one path back to each state over each text.
    private mutating func verdict(onRepeated part: PatternTree, most: Int?) -> Verdict {
        guard part != .anything else { return .unambiguous }
        guard let automaton = PositionAutomaton(repeating: part, hasCount: most != nil, steps: &steps) else {
            return .tooBig
        }
        guard let example = automaton.ambiguousText(steps: &steps) else { return .unambiguous }
        return .ambiguous(Ambiguity(part: part.patternText, example: example))
    }

    private enum Verdict {
        case ambiguous(Ambiguity)
        case unambiguous
        /// Nothing is known of the whole, and what is repeated inside is still to be looked at.
        case tooBig
    }
}
