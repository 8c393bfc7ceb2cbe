extension RegexAST {
    /// The number of repetitions from which on a limit counts as none.
    static let unboundedThreshold = 10

    /// The number of ways to match from which on a limited repetition counts as unlimited.
    private static let maxWays = 10_000

    /// Whether a repetition of this with that limit counts as unlimited.
    func countsAsUnbounded(most: Int?) -> Bool {
        guard let most else { return true }
        guard most > 1 else { return false }
        return most >= Self.unboundedThreshold || Self.ways(ofRepeated: ways, from: 0, through: most) > Self.maxWays
    }

    /// The approximate number of ways to match this, up to a limit.
    ///
    /// An unlimited repetition counts as ten, because it is checked separately.
    private var ways: Int {
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: return 1
        case .sequence(let parts): return parts.reduce(1) { min($0 * $1.ways, Self.maxWays + 1) }
        case .alternatives(let parts): return parts.reduce(0) { min($0 + $1.ways, Self.maxWays + 1) }
        case .repetition(let part, let least, let most, let backtracking):
            guard !backtracking.neverBacktracks(part, least: least, most: most) else { return 1 }
            guard let most, most < Self.unboundedThreshold else { return Self.unboundedThreshold }
            return Self.ways(ofRepeated: part.ways, from: least, through: most)
        }
    }

    private static func ways(ofRepeated ways: Int, from least: Int, through most: Int) -> Int {
        var (sum, product) = (least == 0 ? 1 : 0, 1)
        for count in 1...max(most, 1) where count <= most {
            product = min(product * ways, maxWays + 1)
            if count >= least { sum = min(sum + product, maxWays + 1) }
        }
        return sum
    }

    /// Whether the tree is small enough for an automaton, before repetitions are unrolled.
    var hasFewParts: Bool {
        var left = BacktrackingCheckLimits.parts
        countParts(&left)
        return left >= 0
    }

    private func countParts(_ left: inout Int) {
        left -= 1
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: break
        case .sequence(let parts), .alternatives(let parts):
            for part in parts where left >= 0 { part.countParts(&left) }
        case .repetition(let part, _, _, _): part.countParts(&left)
        }
    }

    /// Whether the form of the tree shows that it matches in one way only.
    fileprivate var isUnambiguous: Bool {
        switch self {
        case .empty, .start, .end, .boundary, .character, .anything, .atomic, .lookaround: true
        case .sequence(let parts): parts.allSatisfy(\.isUnambiguous)
        case .alternatives: false
        case .repetition(let part, let least, let most, let backtracking):
            part.isUnambiguous && (least == most || backtracking.neverBacktracks(part, least: least, most: most))
        }
    }

    /// Whether the tree matches at every position.
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

    /// Whether the tree can match the empty text.
    var isNullable: Bool {
        switch self {
        case .empty, .start, .end, .boundary, .lookaround, .anything: true
        case .character: false
        case .sequence(let parts): parts.allSatisfy(\.isNullable)
        case .alternatives(let parts): parts.contains(where: \.isNullable)
        case .repetition(let part, let least, _, _): least == 0 || part.isNullable
        case .atomic(let part): part.isNullable
        }
    }
}

extension RegexAST.RepetitionBehavior {
    /// Whether a repetition of a part certainly never backtracks.
    ///
    /// In Swift 6.3, a possessive repetition still backtracks into the choices made in its part and, if it has a limit, into the
    /// last number of repetitions, except for plain ASCII characters: `(?:(?:a|aa)+)++$` and `(?:(?:aa)?+a)*$` take exponential
    /// time. `(?>…)` doesn't.
    func neverBacktracks(_ part: RegexAST, least: Int, most: Int?) -> Bool {
        guard self == .possessive, least != most else { return false }
        if case .character(let characters) = part, !characters.hasOthers { return true }
        return most == nil && part.isUnambiguous && !part.isNullable
    }
}
