/// How a repetition is written out.
struct RepetitionShape {
    /// How many there must be.
    var required: Int
    /// How many more there may be.
    var optional: Int
    /// Whether the last one required is repeated without a limit.
    var isLoop: Bool
    /// Whether the loop stands for a number of repetitions, if also one that takes no text counts.
    var hasCount: Bool

    var copies: Int { required + optional }

    init(of part: PatternTree, least: Int, most: Int?, unrolling: Int) {
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

extension PatternTree {
    /// How many parts the automaton's builder goes through, up to just beyond the limit.
    func unrolledSize(unrolling: Int) -> Int {
        let tooMany = AutomatonLimits.parts + 1
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return 1
        case .sequence(let parts), .alternatives(let parts):
            var size = 1
            for part in parts where size < tooMany { size += part.unrolledSize(unrolling: unrolling) }
            return min(size, tooMany)
        case .repetition(let part, let least, let most, let backtracking):
            guard most != 0, !backtracking.keeps(part, least: least, most: most) else { return 1 }
            let copies = RepetitionShape(of: part, least: least, most: most, unrolling: unrolling).copies
            return min(1 + copies * part.unrolledSize(unrolling: unrolling), tooMany)
        }
    }
}
