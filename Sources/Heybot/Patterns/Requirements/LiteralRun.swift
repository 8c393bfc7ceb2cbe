/// A run of adjacent characters in every match: all texts that it may be, built up part by part.
struct LiteralRun {
    /// All texts that the run may be so far, folded.
    ///
    /// There may be duplicates.
    private(set) var literals: [[UInt8]] = [[]]
    /// Whether the run is the whole match so far.
    private(set) var isWhole = true
    private var sets: [[[UInt8]]] = []

    /// Removes and returns the runs that have ended, and the states that were worth keeping before they got more literals.
    mutating func removeSets() -> [[[UInt8]]] {
        guard !sets.isEmpty else { return [] }
        defer { sets = [] }
        return sets
    }

    /// Appends one of the ASCII characters in a set.
    mutating func append(oneOf set: ByteSet) {
        guard let only = set.onlyLetter else {
            let folded = set.count <= 12 ? ByteSet(set.bytes.lazy.map(ASCIIFolding.lowercase)).bytes : []
            return append(folded.isEmpty || folded.count > 6 ? nil : folded.map { [$0] })
        }
        guard literals.allSatisfy({ $0.count < LiteralSetRanking.maxLiteralLength }) else { return append([[only]]) }
        for index in literals.indices { literals[index].append(only) }
    }

    /// Appends a part that is exactly one of these texts; nil if they aren't known.
    mutating func append(_ exact: [[UInt8]]?) {
        guard let exact, !exact.isEmpty else { return end(with: [[]]) }
        if exact.count == 1, exact[0].isEmpty { return }
        guard fits(exact) else { return end(with: exact) }
        if exact.count > 1, literals.allSatisfy({ $0.count >= 4 }) { sets.append(literals) }
        literals = literals.flatMap { literal in exact.map { literal + $0 } }
    }

    /// Appends a part that is repeated at least `least` times, or exactly that many times unless `isEndless`.
    mutating func append(_ exact: [[UInt8]]?, least: Int, isEndless: Bool) {
        guard let exact, !exact.isEmpty else { return end(with: [[]]) }
        if exact.count == 1, exact[0].isEmpty { return }
        var count = 0
        while count < least, fits(exact) {
            append(exact)
            count += 1
        }
        // The last repetition is adjacent to what follows.
        if isEndless || count < least { end(with: exact) }
    }

    /// Whether the run would stay within the limits with one of these texts appended.
    private func fits(_ exact: [[UInt8]]) -> Bool {
        guard literals.count * exact.count <= LiteralSetRanking.maxLiterals else { return false }
        let maxLength = literals.reduce(0) { max($0, $1.count) } + exact.reduce(0) { max($0, $1.count) }
        return maxLength <= LiteralSetRanking.maxLiteralLength
    }

    /// Ends the run, and begins another with one of these texts.
    private mutating func end(with exact: [[UInt8]]) {
        if literals.allSatisfy({ $0.count >= 2 }) { sets.append(literals) }
        isWhole = false
        literals = exact
    }
}

extension ByteSet {
    /// The only letter of the set, in one case or both, in lower case; or its only byte if that isn't a letter.
    fileprivate var onlyLetter: UInt8? {
        guard let first, count == 1 || count == 2 && withoutSingleCases == self else { return nil }
        let lowercase = ASCIIFolding.lowercase(first)
        return count == 1 || lowercase != first ? lowercase : nil
    }
}
