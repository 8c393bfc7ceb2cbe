/// The limits of the automaton of one repetition, and of the work on all of a pattern.
enum AutomatonLimits {
    /// How many places for a character or something opaque.
    static let positions = 400
    /// How many parts of the tree, with the unrolled ones counted each time.
    static let parts = 2_000
    /// How many steps, of building and searching together: some tens of milliseconds at worst.
    static let steps = 4_000_000
    /// How many repetitions are written out one by one, tried in this order until the automaton is small enough.
    static let unrolling = [AutomatonLimits.positions, 3, 1]
}

/// A step to a position, and in how many ways it is taken: one, or two for more.
struct AutomatonStep {
    let position: Int
    let ways: UInt8
}

/// The automaton of a repetition: its states are the places in the pattern where text is taken.
struct PositionAutomaton {
    enum Symbol {
        case character(CharacterClass)
        /// What gives nothing back, as the tree it is, and where in the repetition it is written.
        case opaque(PatternTree, place: Int)
    }

    private(set) var symbols: [Symbol] = []
    /// The steps from each position.
    private(set) var steps: [[AutomatonStep]] = []
    private(set) var first: [AutomatonStep] = []
    /// In how many ways a match can end at each position.
    private(set) var endings: [UInt8] = []

    /// The automaton of one or more of a part, or nil if it would be too big or take too long.
    ///
    /// - Parameter hasCount: Whether the repetition is counted, so that also one that takes no text counts.
    init?(repeating part: PatternTree, hasCount: Bool, steps: inout Int) {
        for unrolling in AutomatonLimits.unrolling {
            let size = part.unrolledSize(unrolling: unrolling)
            guard size <= AutomatonLimits.parts else { continue }
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

/// What builds an automaton of a tree, part by part.
private struct AutomatonBuilder {
    /// A part of the automaton: where it begins and ends, and in how many ways it takes no text.
    struct Fragment {
        var first: [AutomatonStep] = []
        var last: [AutomatonStep] = []
        var emptyWays: UInt8 = 1
    }

    private(set) var symbols: [PositionAutomaton.Symbol] = []
    private(set) var isTooBig = false
    /// Whether there is a step that is taken in two ways.
    private var hasAmbiguousStep = false
    private(set) var stepsLeft: Int
    private let unrolling: Int
    /// The next number for something opaque: the same in each copy of a part.
    private var nextPlace = 0
    /// How many positions there may be.
    private let width: Int
    /// In how many ways the step from one position to another is taken, with those from one position together.
    private var ways: [UInt8]

    init(unrolling: Int, size: Int, stepsLeft: Int) {
        (self.unrolling, self.stepsLeft) = (unrolling, stepsLeft)
        width = min(size, AutomatonLimits.positions)
        ways = Array(repeating: 0, count: width * width)
    }

    func finishedSteps() -> [[AutomatonStep]] {
        symbols.indices.map { one in
            symbols.indices.compactMap { other in
                let ways = ways[one * width + other]
                return ways > 0 ? AutomatonStep(position: other, ways: ways) : nil
            }
        }
    }

    mutating func fragment(_ tree: PatternTree) -> Fragment {
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
            guard !backtracking.keeps(part, least: least, most: most) else { return opaque(tree) }
            return repetition(of: part, least: least, most: most)
        }
    }

    private mutating func repetition(of part: PatternTree, least: Int, most: Int?) -> Fragment {
        let shape = RepetitionShape(of: part, least: least, most: most, unrolling: unrolling)
        let firstPlace = nextPlace
        var all = Fragment()
        for _ in 0..<shape.optional {
            nextPlace = firstPlace
            all = sequence(fragment(part), all)
            all.emptyWays = min(all.emptyWays + 1, 2)
        }
        for count in 0..<shape.required {
            nextPlace = firstPlace
            var one = fragment(part)
            if count == 0, shape.isLoop {
                one = loop(one, hasCount: shape.hasCount)
                // The last may be followed by one that takes no text, which ends the loop.
                if one.emptyWays > 0 { one.last = Self.steps(one.last, times: 2) }
            }
            all = sequence(one, all)
        }
        // None at all is one more way to take no text, also beside one repetition that takes none.
        if shape.isLoop, least == 0 { all.emptyWays = min(all.emptyWays + 1, 2) }
        return all
    }

    /// One or more of a fragment.
    mutating func loop(_ fragment: Fragment, hasCount: Bool) -> Fragment {
        var all = fragment
        if hasCount, fragment.emptyWays > 0 {
            // Which of the counted ones takes no text makes a difference.
            all.first = fragment.first.map { AutomatonStep(position: $0.position, ways: 2) }
            all.emptyWays = 2
        }
        // One step that is taken in two ways tells enough, however many loops there still are around it.
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

    private static func steps(_ steps: [AutomatonStep], times ways: UInt8) -> [AutomatonStep] {
        switch ways {
        case 0: []
        case 1: steps
        default: steps.map { AutomatonStep(position: $0.position, ways: 2) }
        }
    }

    private mutating func connect(_ last: [AutomatonStep], _ first: [AutomatonStep]) {
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

    private mutating func opaque(_ tree: PatternTree) -> Fragment {
        var one = position(.opaque(tree, place: nextPlace))
        nextPlace += 1
        one.emptyWays = tree.mayTakeNothing ? 1 : 0
        return one
    }

    private mutating func position(_ symbol: PositionAutomaton.Symbol) -> Fragment {
        guard symbols.count < width else {
            isTooBig = true
            return Fragment()
        }
        symbols.append(symbol)
        let step = AutomatonStep(position: symbols.count - 1, ways: 1)
        return Fragment(first: [step], last: [step], emptyWays: 0)
    }
}
