/// The analysis of a part of a pattern: what its matches have in common.
struct PatternAnalysis {
    /// The limit up to which lengths are counted.
    private static let maxLength = 1_000_000
    /// The depth to which a tree is analyzed.
    private static let maxDepth = 512

    /// All texts that the match may be, folded; nil if they aren't known, or are too many.
    var exact: [[UInt8]]? = [[]]
    /// Sets of literals: one literal of each is in the match, or in a lookaround of it.
    var sets: [[[UInt8]]] = []
    /// Sets of bytes: one byte of each is in the match, or in a lookaround of it.
    var bytes = RequiredByteSets()
    /// The least length of a match in bytes.
    var leastLength = 0
    /// The bytes that a match may contain.
    var content = ByteSet()
    /// Whether a match begins at the beginning of the text.
    var isAtStart = false
    /// Whether a match ends at the end of the text.
    var isAtEnd = false

    /// The analysis of the empty pattern.
    init() {}

    /// All sets, including ``exact`` if it is usable as one.
    var allSets: [[[UInt8]]] {
        guard let exact, Self.isSearchable(exact) else { return sets }
        return sets + [exact]
    }

    /// Analyzes a tree.
    init(of tree: RegexAST, depth: Int = 0) {
        self.init()
        guard depth < Self.maxDepth else {
            setUnknown()
            return
        }
        switch tree {
        case .empty, .boundary: break
        case .start: isAtStart = true
        case .end: isAtEnd = true
        case .character, .repetition: analyzeSequence(CollectionOfOne(tree), depth: depth)
        case .sequence(let items): analyzeSequence(items, depth: depth)
        case .alternatives(let branches): analyzeAlternatives(branches, depth: depth)
        case .atomic(let inner): self = Self(of: inner, depth: depth + 1)
        case .lookaround(let inner, let isNegative):
            guard !isNegative else { return }
            let found = Self(of: inner, depth: depth + 1)
            sets = found.allSets
            bytes = found.bytes
        case .anything: setUnknown()
        }
    }

    /// Whether all literals are long enough to search for.
    private static func isSearchable(_ literals: [[UInt8]]) -> Bool {
        !literals.isEmpty && literals.allSatisfy { $0.count >= 2 }
    }

    private mutating func setUnknown() {
        exact = nil
        content = .all
    }

    // MARK: Alternatives

    private mutating func analyzeAlternatives(_ branches: [RegexAST], depth: Int) {
        var all: [[UInt8]]? = []
        var list: [[UInt8]]? = []
        var set: ByteSet? = ByteSet()
        leastLength = Self.maxLength
        isAtStart = true
        isAtEnd = true
        for branch in branches {
            let found = Self(of: branch, depth: depth + 1)
            all = Self.union(all, found.exact)
            list = Self.union(list, LiteralSetRanking.best(in: found.allSets))
            set = found.bytes.best.flatMap { set?.union($0) }
            leastLength = min(leastLength, found.leastLength)
            content.formUnion(found.content)
            isAtStart = isAtStart && found.isAtStart
            isAtEnd = isAtEnd && found.isAtEnd
        }
        exact = all
        if all == nil, let list { sets = [list] }
        if let set { bytes.insert(set) }
    }

    private static func union(_ one: [[UInt8]]?, _ other: [[UInt8]]?) -> [[UInt8]]? {
        guard let one, let other, one.count + other.count <= LiteralSetRanking.maxLiterals else { return nil }
        return one + other
    }

    // MARK: Sequences

    private mutating func analyzeSequence(_ items: some Sequence<RegexAST>, depth: Int) {
        var run = LiteralRun()
        var endsInNonASCII = false
        for item in items {
            var beginsWithNonASCII = false
            switch item {
            case .character(let characters):
                // A character with a combining mark may be written as a single character.
                if endsInNonASCII, characters.hasOthers, characters.ascii.isEmpty { leastLength -= 1 }
                beginsWithNonASCII = characters.hasOthers
                add(characters, into: &run)
            case .repetition(let inner, let least, let most, _):
                add(inner, least: least, most: most, into: &run, depth: depth)
            default:
                let found = Self(of: item, depth: depth + 1)
                addAll(found, times: 1)
                sets += found.sets
                run.append(found.exact)
            }
            endsInNonASCII = beginsWithNonASCII
            LiteralSetRanking.trim(&sets)
            sets += run.removeSets()
        }
        exact = run.isWhole ? run.literals : nil
        if !run.isWhole, Self.isSearchable(run.literals) { sets.append(run.literals) }
    }

    private mutating func add(_ characters: PossibleCharacters, into run: inout LiteralRun) {
        let set = characters.bytes
        bytes.insert(set)
        add(length: 1, times: 1)
        content.formUnion(characters.hasClusters ? .all : set)
        if characters.hasOthers {
            run.append(nil)
        } else {
            run.append(oneOf: characters.ascii)
        }
    }

    private mutating func add(_ inner: RegexAST, least: Int, most: Int?, into run: inout LiteralRun, depth: Int) {
        if let most, most <= 0 { return }
        let found = Self(of: inner, depth: depth + 1)
        guard least > 0 else {
            content.formUnion(found.content)
            // It may be absent.
            run.append(most == 1 ? Self.union([[]], found.exact) : nil)
            return
        }
        addAll(found, times: least)
        sets += found.sets
        run.append(found.exact, least: least, isEndless: most != least)
    }

    /// Adds what holds for a part wherever it is in the sequence.
    private mutating func addAll(_ found: Self, times: Int) {
        bytes.insert(found.bytes)
        content.formUnion(found.content)
        add(length: found.leastLength, times: times)
        // A part before a start anchor, or after an end anchor, matches no text.
        isAtStart = isAtStart || found.isAtStart
        isAtEnd = isAtEnd || found.isAtEnd
    }

    private mutating func add(length: Int, times: Int) {
        let (product, isTooMuch) = length.multipliedReportingOverflow(by: times)
        leastLength = isTooMuch ? Self.maxLength : min(leastLength + min(product, Self.maxLength), Self.maxLength)
    }
}
