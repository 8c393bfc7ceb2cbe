/// Finds pieces of text in a text, however many pieces there are: by a gram of each, a few bytes that stand together.
///
/// It goes through the text once, asks a small table whether any gram begins with the two bytes there, then a bitmap
/// whether any piece has the whole gram, then a hash table, and compares the whole piece only if that has it too. It is
/// one thing that changes, not a value: copies would cost more than a search.
final class GramIndex {
    /// A piece, and whose it is.
    struct Piece {
        let owner: Int32
        /// Where it is in the pool.
        let start: Int32
        let count: UInt8
        /// Where its gram is in it.
        let offset: UInt8
    }

    /// The lengths of grams: of a piece the longest that fits is taken.
    private static let lengths = [7, 4, 2]

    /// By the gram's length, as in `lengths`.
    private let tables = lengths.map { GramTable(length: $0) }
    /// By the first two bytes of grams, or by a hash of them: in which of the tables there are such, a bit for each.
    ///
    /// Most of a text is told from it to begin no gram.
    private var beginnings = [UInt8](repeating: 0, count: 1 << beginningBits)
    private static let beginningBits = 12
    /// The bytes of all pieces.
    private var pool: [UInt8] = []

    /// Adds a piece of 2 to 255 bytes, folded.
    func insert(_ piece: [UInt8], of owner: Int32) {
        let table = Self.table(for: piece.count)
        let start = Int32(pool.count)
        pool += piece
        let gram = tables[table].insert(piece) {
            Piece(owner: owner, start: start, count: UInt8(piece.count), offset: UInt8($0))
        }
        beginnings[Self.beginning(of: gram)] |= 1 << UInt8(table)
    }

    /// How many pieces share the gram that this one would be found by: the fewer, the better it tells texts apart.
    func crowd(of piece: [UInt8]) -> Int {
        tables[Self.table(for: piece.count)].crowd(of: piece)
    }

    /// Calls the closure with the owner of each piece that is in the text; more than once if more are, or one is twice.
    func search(_ text: FoldedText, _ found: (Int32) -> Void) {
        beginnings.withUnsafeBufferPointer { beginnings in
            for position in 0..<max(text.count &- 1, 0) {
                let word = text.word(at: position)
                let flags = beginnings[Self.beginning(of: word)]
                if flags == 0 { continue }
                for table in tables.indices where flags & (1 << UInt8(table)) != 0 {
                    tables[table].search(word) { piece in
                        if has(text, piece, position &- Int(piece.offset)) { found(piece.owner) }
                    }
                }
            }
        }
    }

    /// Whether the whole piece is in the text there.
    private func has(_ text: FoldedText, _ piece: Piece, _ start: Int) -> Bool {
        guard start >= 0, start &+ Int(piece.count) <= text.count else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: text.buffer[start..<start &+ Int(piece.count)])
        return pool[Int(piece.start)..<Int(piece.start) &+ Int(piece.count)].elementsEqual(bytes)
    }

    @inline(__always) private static func beginning(of word: UInt64) -> Int {
        Int(((word & 0xffff) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - beginningBits))
    }

    private static func table(for count: Int) -> Int {
        lengths.firstIndex { $0 <= count } ?? lengths.count - 1
    }
}
