extension PatternTree {
    /// From how many repetitions on a limit is as good as none.
    static let manyRepetitions = 10

    /// From how many ways to match on a repetition with a limit is as bad as one without.
    private static let manyWays = 10_000

    /// Whether so many of this make a repetition without a limit, or as good as without.
    func countsAsUnbounded(most: Int?) -> Bool {
        guard let most else { return true }
        guard most > 1 else { return false }
        return most >= Self.manyRepetitions || Self.ways(ofRepeated: ways, from: 0, through: most) > Self.manyWays
    }

    /// About how many ways there are to go through this, up to a limit.
    ///
    /// A repetition without a limit counts as ten: it is looked at on its own.
    private var ways: Int {
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return 1
        case .sequence(let parts): return parts.reduce(1) { min($0 * $1.ways, Self.manyWays + 1) }
        case .alternatives(let parts): return parts.reduce(0) { min($0 + $1.ways, Self.manyWays + 1) }
        case .repetition(let part, let least, let most, let backtracking):
            guard !backtracking.keeps(part, least: least, most: most) else { return 1 }
            guard let most, most < Self.manyRepetitions else { return Self.manyRepetitions }
            return Self.ways(ofRepeated: part.ways, from: least, through: most)
        }
    }

    private static func ways(ofRepeated ways: Int, from least: Int, through most: Int) -> Int {
        var (sum, product) = (least == 0 ? 1 : 0, 1)
        for count in 1...max(most, 1) where count <= most {
            product = min(product * ways, manyWays + 1)
            if count >= least { sum = min(sum + product, manyWays + 1) }
        }
        return sum
    }

    /// Whether this is small enough for an automaton, before anything is written out.
    var hasFewParts: Bool {
        var left = AutomatonLimits.parts
        takeParts(&left)
        return left >= 0
    }

    private func takeParts(_ left: inout Int) {
        left -= 1
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: break
        case .sequence(let parts), .alternatives(let parts):
            for part in parts where left >= 0 { part.takeParts(&left) }
        case .repetition(let part, _, _, _): part.takeParts(&left)
        }
    }

    /// Whether there is only one way to go through this, as far as can be told from its form.
    fileprivate var hasOneWay: Bool {
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: true
        case .sequence(let parts): parts.allSatisfy(\.hasOneWay)
        case .alternatives: false
        case .repetition(let part, let least, let most, let backtracking):
            part.hasOneWay && (least == most || backtracking.keeps(part, least: least, most: most))
        }
    }

    /// Whether this matches wherever it is tried.
    var alwaysMatches: Bool {
        switch self {
        case .empty: true
        case .start, .end, .boundary, .character, .anything: false
        case .sequence(let parts): parts.allSatisfy(\.alwaysMatches)
        case .alternatives(let parts): parts.contains(where: \.alwaysMatches)
        case .repetition(let part, let least, _, _): least == 0 || part.alwaysMatches
        case .atomic(let part): part.alwaysMatches
        case .lookaround(let part, let isNegative): !isNegative && part.alwaysMatches
        }
    }

    /// Whether this may match without taking any text.
    var mayTakeNothing: Bool {
        switch self {
        case .empty, .start, .end, .boundary, .lookaround, .anything: true
        case .character: false
        case .sequence(let parts): parts.allSatisfy(\.mayTakeNothing)
        case .alternatives(let parts): parts.contains(where: \.mayTakeNothing)
        case .repetition(let part, let least, _, _): least == 0 || part.mayTakeNothing
        case .atomic(let part): part.mayTakeNothing
        }
    }
}

extension PatternTree.Backtracking {
    /// Whether a repetition of a part gives nothing back, for certain.
    ///
    /// In Swift 6.3 a possessive repetition doesn't forget the choices made in its part, nor, if it has a limit, the
    /// last number of repetitions, but for plain ASCII characters: `(?:(?:a|aa)+)++$` and `(?:(?:aa)?+a)*$` take
    /// exponential time. `(?>…)` forgets them all.
    func keeps(_ part: PatternTree, least: Int, most: Int?) -> Bool {
        guard self == .possessive, least != most else { return false }
        if case .character(let characters) = part, !characters.hasOthers { return true }
        return most == nil && part.hasOneWay && !part.mayTakeNothing
    }
}
