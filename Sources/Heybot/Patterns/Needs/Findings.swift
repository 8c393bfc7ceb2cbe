/// What is known of the matches of a part of a pattern.
struct Findings {
    /// The most bytes in the length of a match that are counted.
    private static let longest = 1_000_000
    /// How deep a tree is looked at.
    private static let deepest = 512

    /// All there may be as the match, folded, if that is certain and not too much.
    var exact: [[UInt8]]? = [[]]
    /// Of each list a piece is in the match, or where the match looks.
    var lists: [[[UInt8]]] = []
    /// The sets of which a byte is in the match, or where the match looks.
    var bytes = NeededBytes()
    /// How many bytes a match takes at least.
    var leastLength = 0
    /// The bytes a match may have in it.
    var content = ByteSet()
    /// Whether a match begins where the text begins.
    var isAtStart = false
    /// Whether a match ends where the text ends.
    var isAtEnd = false

    /// Those of no text at all.
    init() {}

    /// The lists, and what the match is exactly as one of them.
    var allLists: [[[UInt8]]] {
        guard let exact, Self.isList(exact) else { return lists }
        return lists + [exact]
    }

    init(of tree: PatternTree, depth: Int = 0) {
        self.init()
        guard depth < Self.deepest else {
            setUnknown()
            return
        }
        switch tree {
        case .empty, .boundary: break
        case .start: isAtStart = true
        case .end: isAtEnd = true
        case .character, .repetition: findInSequence(CollectionOfOne(tree), depth: depth)
        case .sequence(let items): findInSequence(items, depth: depth)
        case .alternatives(let branches): findInAlternatives(branches, depth: depth)
        case .atomic(let inner): self = Self(of: inner, depth: depth + 1)
        case .lookaround(let inner, let isNegative):
            guard !isNegative else { return }
            let found = Self(of: inner, depth: depth + 1)
            lists = found.allLists
            bytes = found.bytes
        case .anything: setUnknown()
        }
    }

    /// Whether there are only pieces worth looking for.
    private static func isList(_ pieces: [[UInt8]]) -> Bool {
        !pieces.isEmpty && pieces.allSatisfy { $0.count >= 2 }
    }

    private mutating func setUnknown() {
        exact = nil
        content = .all
    }

    // MARK: One of several

    private mutating func findInAlternatives(_ branches: [PatternTree], depth: Int) {
        var all: [[UInt8]]? = []
        var list: [[UInt8]]? = []
        var set: ByteSet? = ByteSet()
        leastLength = Self.longest
        isAtStart = true
        isAtEnd = true
        for branch in branches {
            let found = Self(of: branch, depth: depth + 1)
            all = Self.union(all, found.exact)
            list = Self.union(list, PieceLists.best(in: found.allLists))
            set = found.bytes.best.flatMap { set?.union($0) }
            leastLength = min(leastLength, found.leastLength)
            content.formUnion(found.content)
            isAtStart = isAtStart && found.isAtStart
            isAtEnd = isAtEnd && found.isAtEnd
        }
        exact = all
        if all == nil, let list { lists = [list] }
        if let set { bytes.insert(set) }
    }

    private static func union(_ one: [[UInt8]]?, _ other: [[UInt8]]?) -> [[UInt8]]? {
        guard let one, let other, one.count + other.count <= PieceLists.mostPieces else { return nil }
        return one + other
    }

    // MARK: One after the other

    private mutating func findInSequence(_ items: some Sequence<PatternTree>, depth: Int) {
        var run = Run()
        var endsInOthers = false
        for item in items {
            var beginsWithOthers = false
            switch item {
            case .character(let characters):
                // With marks behind it a character may be written as a single one.
                if endsInOthers, characters.hasOthers, characters.ascii.isEmpty { leastLength -= 1 }
                beginsWithOthers = characters.hasOthers
                take(characters, into: &run)
            case .repetition(let inner, let least, let most, _):
                take(inner, least: least, most: most, into: &run, depth: depth)
            default:
                let found = Self(of: item, depth: depth + 1)
                takeAll(found, times: 1)
                lists += found.lists
                run.append(found.exact)
            }
            endsInOthers = beginsWithOthers
            PieceLists.trim(&lists)
            lists += run.takeLists()
        }
        exact = run.isWhole ? run.pieces : nil
        if !run.isWhole, Self.isList(run.pieces) { lists.append(run.pieces) }
    }

    private mutating func take(_ characters: CharacterClass, into run: inout Run) {
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

    private mutating func take(_ inner: PatternTree, least: Int, most: Int?, into run: inout Run, depth: Int) {
        if let most, most <= 0 { return }
        let found = Self(of: inner, depth: depth + 1)
        guard least > 0 else {
            content.formUnion(found.content)
            // It may be that there is nothing.
            run.append(most == 1 ? Self.union([[]], found.exact) : nil)
            return
        }
        takeAll(found, times: least)
        lists += found.lists
        run.append(found.exact, least: least, isEndless: most != least)
    }

    /// What holds wherever the part stands.
    private mutating func takeAll(_ found: Self, times: Int) {
        bytes.insert(found.bytes)
        content.formUnion(found.content)
        add(length: found.leastLength, times: times)
        // What stands before a start, or behind an end, has taken nothing.
        isAtStart = isAtStart || found.isAtStart
        isAtEnd = isAtEnd || found.isAtEnd
    }

    private mutating func add(length: Int, times: Int) {
        let (product, isTooMuch) = length.multipliedReportingOverflow(by: times)
        leastLength = isTooMuch ? Self.longest : min(leastLength + min(product, Self.longest), Self.longest)
    }
}
