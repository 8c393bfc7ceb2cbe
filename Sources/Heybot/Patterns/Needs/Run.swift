/// What stands next to each other in every match: all there may be, put together part by part.
struct Run {
    /// All there may be since the run began, folded; some of them may be the same.
    private(set) var pieces: [[UInt8]] = [[]]
    /// Whether the run began if the whole began, and has all of it.
    private(set) var isWhole = true
    private var lists: [[[UInt8]]] = []

    /// Runs that have ended, and those that it was better to keep before they got more pieces.
    mutating func takeLists() -> [[[UInt8]]] {
        guard !lists.isEmpty else { return [] }
        defer { lists = [] }
        return lists
    }

    /// Adds one of some ASCII characters.
    mutating func append(oneOf set: ByteSet) {
        guard let only = set.onlyLetter else {
            let folded = set.count <= 12 ? ByteSet(set.bytes.lazy.map(Folding.lowercase)).bytes : []
            return append(folded.isEmpty || folded.count > 6 ? nil : folded.map { [$0] })
        }
        guard pieces.allSatisfy({ $0.count < PieceLists.longestPiece }) else { return append([[only]]) }
        for index in pieces.indices { pieces[index].append(only) }
    }

    /// Adds a part of which this is all there may be; nil if that isn't known.
    mutating func append(_ exact: [[UInt8]]?) {
        guard let exact, !exact.isEmpty else { return end(with: [[]]) }
        if exact.count == 1, exact[0].isEmpty { return }
        guard fits(exact) else { return end(with: exact) }
        if exact.count > 1, pieces.allSatisfy({ $0.count >= 4 }) { lists.append(pieces) }
        pieces = pieces.flatMap { piece in exact.map { piece + $0 } }
    }

    /// Adds a part that is there at least so many times, or just so many if there is an end to it.
    mutating func append(_ exact: [[UInt8]]?, least: Int, isEndless: Bool) {
        guard let exact, !exact.isEmpty else { return end(with: [[]]) }
        if exact.count == 1, exact[0].isEmpty { return }
        var count = 0
        while count < least, fits(exact) {
            append(exact)
            count += 1
        }
        // The last one stands next to what follows.
        if isEndless || count < least { end(with: exact) }
    }

    /// Whether the run would stay small enough with one of these behind it.
    private func fits(_ exact: [[UInt8]]) -> Bool {
        guard pieces.count * exact.count <= PieceLists.mostPieces else { return false }
        let longest = pieces.reduce(0) { max($0, $1.count) } + exact.reduce(0) { max($0, $1.count) }
        return longest <= PieceLists.longestPiece
    }

    /// Ends the run and begins another with one of these.
    private mutating func end(with exact: [[UInt8]]) {
        if pieces.allSatisfy({ $0.count >= 2 }) { lists.append(pieces) }
        isWhole = false
        pieces = exact
    }
}

extension ByteSet {
    /// The one letter that is in it, in one case or both, as a lower-case one; or the one other byte.
    fileprivate var onlyLetter: UInt8? {
        guard let first, count == 1 || count == 2 && withoutSingleCases == self else { return nil }
        let lowercase = Folding.lowercase(first)
        return count == 1 || lowercase != first ? lowercase : nil
    }
}
