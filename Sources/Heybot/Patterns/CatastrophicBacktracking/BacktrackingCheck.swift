extension RegexAST {
    /// Why finding the first match can take a backtracking engine exponential time; nil if it can't.
    ///
    /// Anchors, boundaries and lookarounds are assumed to hold, so a pattern can be rejected that is harmless because of them.
    /// The work is limited: a repetition that is too big to analyze counts as harmless. Ambiguity that costs polynomial time, such
    /// as `.*.*x`, isn't reported.
    package func backtrackingRisk() -> BacktrackingRisk? {
        guard hasChoiceInRepetition(isRepeated: false) else { return nil }
        var check = BacktrackingCheck()
        return check.backtrackingRisk(of: self, canFailLater: false, isCovered: false)
    }

    /// Whether a repetition, alternatives or a backreference is repeated: otherwise, nothing is ambiguous.
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

/// The search for ambiguous repetitions in one pattern.
private struct BacktrackingCheck {
    /// The number of steps left for the whole pattern.
    private var steps = BacktrackingCheckLimits.steps

    /// The first ambiguity in a tree.
    ///
    /// - Parameters:
    ///   - canFailLater: Whether what follows can make a match of this tree fail. If it can't, only the first way to match is
    ///     tried.
    ///   - isCovered: Whether this is in a repetition that has been checked as a whole.
    mutating func backtrackingRisk(of tree: RegexAST, canFailLater: Bool, isCovered: Bool) -> BacktrackingRisk? {
        switch tree {
        case .empty, .start, .end, .boundary, .character, .anything: return nil
        case .sequence(let parts):
            var canFailLater = canFailLater
            for part in parts.reversed() {
                if let found = backtrackingRisk(of: part, canFailLater: canFailLater, isCovered: isCovered) {
                    return found
                }
                canFailLater = canFailLater || !part.alwaysMatches
            }
            return nil
        case .alternatives(let parts):
            for part in parts {
                if let found = backtrackingRisk(of: part, canFailLater: canFailLater, isCovered: isCovered) {
                    return found
                }
            }
            return nil
        case .repetition(let part, let least, let most, let backtracking):
            let isOpaque = backtracking.neverBacktracks(part, least: least, most: most)
            let canFailLater = canFailLater && !isOpaque
            var isCovered = isCovered && !isOpaque
            // If nothing that follows can fail, other ways are tried only if there are too few repetitions.
            let canFail = canFailLater || least >= RegexAST.unboundedThreshold
            if canFail, !isCovered, part.hasFewParts, part.countsAsUnbounded(most: most) {
                switch check(onRepeated: part, most: most) {
                case .ambiguous(let found): return smallest(in: part) ?? found
                case .unambiguous: isCovered = true
                case .tooBig: break
                }
            }
            // A repetition can fail if the next required one doesn't match.
            return backtrackingRisk(of: part, canFailLater: canFailLater || least > 1, isCovered: isCovered)
        case .atomic(let part), .lookaround(let part, _):
            return backtrackingRisk(of: part, canFailLater: false, isCovered: false)
        }
    }

    /// The innermost ambiguous repetition, which makes the clearest report.
    private mutating func smallest(in tree: RegexAST) -> BacktrackingRisk? {
        switch tree {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return nil
        case .sequence(let parts), .alternatives(let parts):
            for part in parts {
                if let found = smallest(in: part) { return found }
            }
            return nil
        case .repetition(let part, let least, let most, let backtracking):
            guard !backtracking.neverBacktracks(part, least: least, most: most) else { return nil }
            if let found = smallest(in: part) { return found }
            guard part.countsAsUnbounded(most: most), case .ambiguous(let found) = check(onRepeated: part, most: most)
            else { return nil }
            return found
        }
    }

    /// Whether one or more repetitions of a part match some text in two ways.
    ///
    /// This criterion is exact: repeating such a text makes the number of ways grow exponentially; and without such a text, an
    /// automaton that is one loop has only one path back to each state for each text.
    private mutating func check(onRepeated part: RegexAST, most: Int?) -> CheckResult {
        guard part != .anything else { return .unambiguous }
        guard let automaton = PositionAutomaton(repeating: part, hasCount: most != nil, steps: &steps) else {
            return .tooBig
        }
        guard let example = automaton.ambiguousText(steps: &steps) else { return .unambiguous }
        return .ambiguous(BacktrackingRisk(part: part.patternText, example: example))
    }

    private enum CheckResult {
        case ambiguous(BacktrackingRisk)
        case unambiguous
        /// The whole is too big to check; the repetitions in it are still to be checked.
        case tooBig
    }
}

/// The limits of the automaton of one repetition, and of the work on a whole pattern.
enum BacktrackingCheckLimits {
    /// The greatest number of positions.
    static let positions = 400
    /// The greatest number of parts of the tree, with unrolled copies counted separately.
    static let parts = 2_000
    /// The greatest number of steps, of building and searching together: some tens of milliseconds at worst.
    static let steps = 4_000_000
    /// The numbers of repetitions to unroll, tried in this order until the automaton is small enough.
    static let unrolling = [BacktrackingCheckLimits.positions, 3, 1]
}
