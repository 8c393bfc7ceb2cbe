/// A transition to a position, and the number of ways to take it: one, or two for more.
struct AutomatonTransition {
    let position: Int
    let ways: UInt8
}

/// The position automaton (Glushkov automaton) of a repetition: its states are the positions in the pattern that match text.
struct PositionAutomaton {
    /// What a position matches.
    enum Symbol {
        case character(PossibleCharacters)
        /// A part that never backtracks, and its number in the repetition.
        case opaque(RegexAST, place: Int)
    }

    private(set) var symbols: [Symbol] = []
    /// The transitions from each position.
    private(set) var steps: [[AutomatonTransition]] = []
    /// The transitions to the first positions.
    private(set) var first: [AutomatonTransition] = []
    /// The number of ways in which a match can end at each position, at most two.
    private(set) var endings: [UInt8] = []

    /// Builds the automaton of one or more repetitions of a part.
    ///
    /// Returns nil if it would be too big or take too long.
    ///
    /// - Parameter hasCount: Whether the repetitions are counted, so that even one of the empty text makes a difference.
    init?(repeating part: RegexAST, hasCount: Bool, steps: inout Int) {
        for unrolling in BacktrackingCheckLimits.unrolling {
            let size = part.unrolledSize(unrolling: unrolling)
            guard size <= BacktrackingCheckLimits.parts else { continue }
            var builder = AutomatonBuilder(unrolling: unrolling, size: size, stepsLeft: steps)
            let whole = builder.loop(builder.fragment(part), hasCount: hasCount)
            steps = builder.stepsLeft
            guard builder.isTooBig else {
                (symbols, first) = (builder.symbols, whole.first)
                self.steps = builder.finishedSteps()
                endings = Array(repeating: 0, count: symbols.count)
                for step in whole.last { endings[step.position] = step.ways }
                return
            }
        }
        return nil
    }
}

/// Builds an automaton from a tree, part by part.
private struct AutomatonBuilder {
    /// A part of the automaton: its first and last positions, and the number of ways in which it matches the empty text.
    struct Fragment {
        var first: [AutomatonTransition] = []
        var last: [AutomatonTransition] = []
        var emptyWays: UInt8 = 1
    }

    private(set) var symbols: [PositionAutomaton.Symbol] = []
    private(set) var isTooBig = false
    /// Whether a transition can be taken in two ways.
    private var hasAmbiguousStep = false
    private(set) var stepsLeft: Int
    private let unrolling: Int
    /// The next number of an opaque part: the same in each copy.
    private var nextPlace = 0
    /// The greatest number of positions.
    private let width: Int
    /// The number of ways of each transition, as a matrix with a row for each position.
    private var ways: [UInt8]

    init(unrolling: Int, size: Int, stepsLeft: Int) {
        (self.unrolling, self.stepsLeft) = (unrolling, stepsLeft)
        width = min(size, BacktrackingCheckLimits.positions)
        ways = Array(repeating: 0, count: width * width)
    }

    func finishedSteps() -> [[AutomatonTransition]] {
        symbols.indices.map { one in
            symbols.indices.compactMap { other in
                let ways = ways[one * width + other]
                return ways > 0 ? AutomatonTransition(position: other, ways: ways) : nil
            }
        }
    }

    mutating func fragment(_ tree: RegexAST) -> Fragment {
        guard !isTooBig else { return Fragment() }
        switch tree {
        case .empty, .start, .end, .boundary, .lookaround: return Fragment()
        case .character(let characters) where characters.isEmpty: return Fragment(emptyWays: 0)
        case .character(let characters): return position(.character(characters))
        case .anything:
            var all = loop(position(.character(.all)), hasCount: false)
            all.emptyWays = 1
            return all
        case .atomic: return opaque(tree)
        case .sequence(let parts): return parts.reduce(Fragment()) { sequence($0, fragment($1)) }
        case .alternatives(let parts):
            var all = Fragment(emptyWays: 0)
            for part in parts {
                let one = fragment(part)
                all.first += one.first
                all.last += one.last
                all.emptyWays = min(all.emptyWays + one.emptyWays, 2)
            }
            return all
        case .repetition(let part, let least, let most, let backtracking):
            guard most != 0 else { return Fragment() }
            guard !backtracking.neverBacktracks(part, least: least, most: most) else { return opaque(tree) }
            return repetition(of: part, least: least, most: most)
        }
    }

    private mutating func repetition(of part: RegexAST, least: Int, most: Int?) -> Fragment {
        let unrolled = UnrolledRepetition(of: part, least: least, most: most, unrolling: unrolling)
        let firstPlace = nextPlace
        var all = Fragment()
        for _ in 0..<unrolled.optional {
            nextPlace = firstPlace
            all = sequence(fragment(part), all)
            all.emptyWays = min(all.emptyWays + 1, 2)
        }
        for count in 0..<unrolled.required {
            nextPlace = firstPlace
            var one = fragment(part)
            if count == 0, unrolled.isLoop {
                one = loop(one, hasCount: unrolled.hasCount)
                // The last repetition may be followed by an empty one, which ends the loop.
                if one.emptyWays > 0 { one.last = Self.steps(one.last, times: 2) }
            }
            all = sequence(one, all)
        }
        // No repetition is one more way to match the empty text, besides an empty repetition.
        if unrolled.isLoop, least == 0 { all.emptyWays = min(all.emptyWays + 1, 2) }
        return all
    }

    /// One or more repetitions of a fragment.
    mutating func loop(_ fragment: Fragment, hasCount: Bool) -> Fragment {
        var all = fragment
        if hasCount, fragment.emptyWays > 0 {
            // Which of the counted repetitions is empty makes a difference.
            all.first = fragment.first.map { AutomatonTransition(position: $0.position, ways: 2) }
            all.emptyWays = 2
        }
        // One transition with two ways is sufficient, however many loops are around it.
        if !hasAmbiguousStep { connect(all.last, all.first) }
        return all
    }

    private mutating func sequence(_ one: Fragment, _ other: Fragment) -> Fragment {
        connect(one.last, other.first)
        return Fragment(
            first: one.first + Self.steps(other.first, times: one.emptyWays),
            last: other.last + Self.steps(one.last, times: other.emptyWays),
            emptyWays: min(one.emptyWays * other.emptyWays, 2))
    }

    private static func steps(_ steps: [AutomatonTransition], times ways: UInt8) -> [AutomatonTransition] {
        switch ways {
        case 0: []
        case 1: steps
        default: steps.map { AutomatonTransition(position: $0.position, ways: 2) }
        }
    }

    private mutating func connect(_ last: [AutomatonTransition], _ first: [AutomatonTransition]) {
        stepsLeft -= last.count * first.count
        guard stepsLeft > 0, !isTooBig else { return isTooBig = true }
        for one in last {
            for other in first {
                let index = one.position * width + other.position
                ways[index] = min(ways[index] + one.ways * other.ways, 2)
                hasAmbiguousStep = hasAmbiguousStep || ways[index] > 1
            }
        }
    }

    private mutating func opaque(_ tree: RegexAST) -> Fragment {
        var one = position(.opaque(tree, place: nextPlace))
        nextPlace += 1
        one.emptyWays = tree.isNullable ? 1 : 0
        return one
    }

    private mutating func position(_ symbol: PositionAutomaton.Symbol) -> Fragment {
        guard symbols.count < width else {
            isTooBig = true
            return Fragment()
        }
        symbols.append(symbol)
        let step = AutomatonTransition(position: symbols.count - 1, ways: 1)
        return Fragment(first: [step], last: [step], emptyWays: 0)
    }
}
