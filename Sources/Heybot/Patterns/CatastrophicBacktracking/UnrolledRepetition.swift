/// A repetition unrolled into copies of its part.
struct UnrolledRepetition {
    /// The number of required copies.
    var required: Int
    /// The number of optional copies.
    var optional: Int
    /// Whether the last required copy is repeated without a limit.
    var isLoop: Bool
    /// Whether the loop replaces a counted number of repetitions, so that even an empty one makes a difference.
    var hasCount: Bool

    var copies: Int { required + optional }

    init(of part: RegexAST, least: Int, most: Int?, unrolling: Int) {
        if least == most, least <= unrolling {
            self = Self(required: least, optional: 0, isLoop: false, hasCount: false)
        } else if let most, most <= unrolling, most >= least, !part.countsAsUnbounded(most: most) {
            self = Self(required: least, optional: most - least, isLoop: false, hasCount: false)
        } else {
            let required = min(max(least, 1), unrolling)
            self = Self(required: required, optional: 0, isLoop: true, hasCount: most != nil || required < least)
        }
    }

    private init(required: Int, optional: Int, isLoop: Bool, hasCount: Bool) {
        (self.required, self.optional, self.isLoop, self.hasCount) = (required, optional, isLoop, hasCount)
    }
}

extension RegexAST {
    /// The number of parts that the automaton's builder visits, up to just above the limit.
    func unrolledSize(unrolling: Int) -> Int {
        let tooMany = BacktrackingCheckLimits.parts + 1
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return 1
        case .sequence(let parts), .alternatives(let parts):
            var size = 1
            for part in parts where size < tooMany { size += part.unrolledSize(unrolling: unrolling) }
            return min(size, tooMany)
        case .repetition(let part, let least, let most, let backtracking):
            guard most != 0, !backtracking.neverBacktracks(part, least: least, most: most) else { return 1 }
            let copies = UnrolledRepetition(of: part, least: least, most: most, unrolling: unrolling).copies
            return min(1 + copies * part.unrolledSize(unrolling: unrolling), tooMany)
        }
    }
}
