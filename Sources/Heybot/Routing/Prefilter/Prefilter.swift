/// Tells which of many listeners a text may match, in one pass over it: those that nothing in it rules out.
///
/// It may name one that doesn't match, and never leaves out one that does.
struct Prefilter: ~Copyable {
    private struct Entry {
        let needs: Needs

        /// Whether the bytes and the length of a text don't rule it out.
        func admits(_ text: FoldedText) -> Bool {
            guard text.count >= needs.leastLength else { return false }
            for set in needs.bytes where !set.intersects(text.bytes) { return false }
            if let only = needs.only { return text.bytes.isSubset(of: only) }
            return true
        }
    }

    /// Whether texts are folded as they must be; otherwise matches are lost, which the tests must notice.
    let foldsSpecials: Bool

    private let index = GramIndex()
    /// By number.
    private var entries: [Entry?] = []
    /// Those without a piece, which are looked at for every text.
    private var others: [Int32] = []
    /// By number: the last search that has looked at it.
    ///
    /// A text may have its pieces a million times.
    private var looked: [UInt32] = []
    private var searches: UInt32 = 0

    init(foldsSpecials: Bool = true) { self.foldsSpecials = foldsSpecials }

    /// Adds a listener.
    ///
    /// - Parameter number: Tells it from the others: a small one, since there is room kept for all up to it.
    mutating func insert(_ number: Int, _ needs: Needs) {
        let pieces = needs.pieces.min { cost(of: $0) < cost(of: $1) } ?? []
        for piece in pieces { index.insert(piece, of: Int32(number)) }
        if pieces.isEmpty { others.append(Int32(number)) }
        while entries.count <= number {
            entries.append(nil)
            looked.append(0)
        }
        entries[number] = Entry(needs: needs)
    }

    /// Calls the closure with the number of every listener that the text may match, once, in no order.
    mutating func search(_ text: Substring, _ found: (Int) -> Void) {
        searches &+= 1
        if searches == 0 {
            looked = Array(repeating: 0, count: looked.count)
            searches = 1
        }
        FoldedText.with(text, foldsSpecials: foldsSpecials) { text in
            index.search(text) { number in
                let number = Int(number)
                guard looked[number] != searches else { return }
                looked[number] = searches
                if let entry = entries[number], entry.admits(text) { found(number) }
            }
            for number in others {
                if let entry = entries[Int(number)], entry.admits(text) { found(Int(number)) }
            }
        }
    }

    /// How often a listener would be found by these pieces, about, and how many others with it.
    ///
    /// Long pieces are seldom in a text that is about something else; blanks are in most.
    private func cost(of pieces: [[UInt8]]) -> Double {
        pieces.reduce(0) { cost, piece in
            let letters = piece.count { $0 != UInt8(ascii: " ") }
            let frequency = 1 / Double(1 << min(letters * 5 / 2, 40))
            return cost + frequency * Double(1 + index.crowd(of: piece))
        }
    }
}
