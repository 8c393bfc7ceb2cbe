/// Finds literals in a text in one pass, in a time independent of their number, by an n-gram of each literal.
///
/// At each position of the text, it looks up the first two bytes in a small table, then the n-gram in a bitmap, then in a hash
/// table, and compares the whole literal only if all three have it. It is a class because copies would cost more than a search.
final class NGramIndex {
    /// A literal and its owner.
    struct Literal {
        let owner: Int32
        /// Its position in the pool.
        let start: Int32
        let count: UInt8
        /// The position of its n-gram in it.
        let offset: UInt8
    }

    /// The lengths of n-grams.
    ///
    /// A literal is indexed by the longest that fits.
    private static let lengths = [7, 4, 2]

    /// One table for each of `lengths`.
    private let tables = lengths.map { NGramTable(length: $0) }
    /// By a hash of the first two bytes of an n-gram: a bit for each table that has such n-grams.
    ///
    /// It excludes most positions of a text.
    private var beginnings = [UInt8](repeating: 0, count: 1 << beginningBits)
    private static let beginningBits = 12
    /// The bytes of all literals.
    private var pool: [UInt8] = []

    /// Adds a folded literal of 2 to 255 bytes.
    func insert(_ literal: [UInt8], of owner: Int32) {
        let table = Self.table(for: literal.count)
        let start = Int32(pool.count)
        pool += literal
        let gram = tables[table].insert(literal) {
            Literal(owner: owner, start: start, count: UInt8(literal.count), offset: UInt8($0))
        }
        beginnings[Self.beginning(of: gram)] |= 1 << UInt8(table)
    }

    /// The number of literals that share the n-gram by which this one would be indexed: the fewer, the more selective it is.
    func sharedCount(of literal: [UInt8]) -> Int {
        tables[Self.table(for: literal.count)].sharedCount(of: literal)
    }

    /// Calls `found` with the owner of each literal in the text, once for each occurrence.
    func search(_ text: FoldedText, _ found: (Int32) -> Void) {
        beginnings.withUnsafeBufferPointer { beginnings in
            for position in 0..<max(text.count &- 1, 0) {
                let word = text.word(at: position)
                let flags = beginnings[Self.beginning(of: word)]
                if flags == 0 { continue }
                for table in tables.indices where flags & (1 << UInt8(table)) != 0 {
                    tables[table].search(word) { literal in
                        if has(text, literal, position &- Int(literal.offset)) { found(literal.owner) }
                    }
                }
            }
        }
    }

    /// Whether the whole literal is in the text at a position.
    private func has(_ text: FoldedText, _ literal: Literal, _ start: Int) -> Bool {
        guard start >= 0, start &+ Int(literal.count) <= text.count else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: text.buffer[start..<start &+ Int(literal.count)])
        return pool[Int(literal.start)..<Int(literal.start) &+ Int(literal.count)].elementsEqual(bytes)
    }

    @inline(__always) private static func beginning(of word: UInt64) -> Int {
        Int(((word & 0xffff) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - beginningBits))
    }

    private static func table(for count: Int) -> Int {
        lengths.firstIndex { $0 <= count } ?? lengths.count - 1
    }
}
