/// Finds the listeners that may match a text, in one pass over it.
///
/// It may find listeners that don't match, but never misses one that does.
package struct Prefilter: ~Copyable {
    private struct Entry {
        let requirements: MatchRequirements

        /// Whether the bytes and the length of a text allow a match.
        func admits(_ text: FoldedText) -> Bool {
            guard text.count >= requirements.leastLength else { return false }
            for set in requirements.bytes where !set.intersects(text.bytes) { return false }
            if let only = requirements.only { return text.bytes.isSubset(of: only) }
            return true
        }
    }

    /// Whether texts are folded completely.
    ///
    /// If not, matches are missed: the negative control of the tests.
    let foldsSpecials: Bool

    private let index = NGramIndex()
    /// The entries by their numbers.
    private var entries: [Entry?] = []
    /// The numbers of the entries without a literal, which are checked for every text.
    private var others: [Int32] = []
    /// By number: the last search that found the entry, since a text may contain its literals many times.
    private var lastSearched: [UInt32] = []
    private var searches: UInt32 = 0

    package init(foldsSpecials: Bool = true) { self.foldsSpecials = foldsSpecials }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - number: Identifies the listener. Small numbers are best, because memory is reserved for all numbers up to it.
    ///   - requirements: What every text contains that the listener matches.
    package mutating func insert(_ number: Int, _ requirements: MatchRequirements) {
        let literals = requirements.literals.min { cost(of: $0) < cost(of: $1) } ?? []
        for literal in literals { index.insert(literal, of: Int32(number)) }
        if literals.isEmpty { others.append(Int32(number)) }
        while entries.count <= number {
            entries.append(nil)
            lastSearched.append(0)
        }
        entries[number] = Entry(requirements: requirements)
    }

    /// Calls `found` once with the number of each listener that may match the text, in no particular order.
    package mutating func search(_ text: Substring, _ found: (Int) -> Void) {
        searches &+= 1
        if searches == 0 {
            lastSearched = Array(repeating: 0, count: lastSearched.count)
            searches = 1
        }
        FoldedText.with(text, foldsSpecials: foldsSpecials) { text in
            index.search(text) { number in
                let number = Int(number)
                guard lastSearched[number] != searches else { return }
                lastSearched[number] = searches
                if let entry = entries[number], entry.admits(text) { found(number) }
            }
            for number in others {
                if let entry = entries[Int(number)], entry.admits(text) { found(Int(number)) }
            }
        }
    }

    /// An estimate of how often these literals are found, and how many others with them.
    ///
    /// Long literals are rare in unrelated texts; spaces are in most texts.
    private func cost(of literals: [[UInt8]]) -> Double {
        literals.reduce(0) { cost, literal in
            let letters = literal.count { $0 != UInt8(ascii: " ") }
            let frequency = 1 / Double(1 << min(letters * 5 / 2, 40))
            return cost + frequency * Double(1 + index.sharedCount(of: literal))
        }
    }
}
