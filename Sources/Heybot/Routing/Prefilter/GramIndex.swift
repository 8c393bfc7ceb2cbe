/// Finds pieces of text in a text, however many pieces there are: by a gram of each, a few bytes that stand together.
///
/// It goes through the text once, asks a bitmap whether any piece has the gram that begins there, then a hash table, and
/// compares the whole piece only where that has it too. It is one thing that changes, not a value: copies would cost more
/// than a search.
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
    /// The bytes of all pieces, of removed ones too.
    private var pool: [UInt8] = []
    /// How many bytes of the pool belong to nobody any more.
    private var waste = 0

    /// Adds a piece of 2 to 255 bytes, folded.
    func insert(_ piece: [UInt8], of owner: Int32) {
        let table = Self.table(for: piece.count)
        let start = Int32(pool.count)
        pool += piece
        tables[table].insert(piece) { Piece(owner: owner, start: start, count: UInt8(piece.count), offset: UInt8($0)) }
    }

    /// Takes a piece out that was added for that owner.
    func remove(_ piece: [UInt8], of owner: Int32) {
        let table = Self.table(for: piece.count)
        let pool = pool
        let isRemoved = tables[table].remove(piece) { other in
            let start = Int(other.start)
            return other.owner == owner && pool[start..<start + Int(other.count)].elementsEqual(piece)
        }
        guard isRemoved else { return }
        waste += piece.count
        if waste > 4_096, waste > pool.count / 2 { compact() }
    }

    /// How many pieces share the gram that this one would be found by: the fewer, the better it tells texts apart.
    func crowd(of piece: [UInt8]) -> Int {
        tables[Self.table(for: piece.count)].crowd(of: piece)
    }

    /// How many bytes it takes, about.
    var room: Int { pool.count + tables.reduce(0) { $0 + $1.room } }

    /// Calls the closure with the owner of each piece that is in the text; more than once where more are, or one is twice.
    func search(_ text: FoldedText, _ found: (Int32) -> Void) {
        pool.withUnsafeBufferPointer { pool in
            for table in tables where !table.isEmpty {
                table.search(text) { position, piece in
                    let start = position &- Int(piece.offset)
                    guard start >= 0, start &+ Int(piece.count) <= text.count else { return }
                    let bytes = UnsafeRawBufferPointer(rebasing: text.buffer[start..<start &+ Int(piece.count)])
                    let own = UnsafeBufferPointer(
                        rebasing: pool[Int(piece.start)..<Int(piece.start) &+ Int(piece.count)])
                    if bytes.elementsEqual(own) { found(piece.owner) }
                }
            }
        }
    }

    private static func table(for count: Int) -> Int {
        lengths.firstIndex { $0 <= count } ?? lengths.count - 1
    }

    /// Gives the room of removed pieces back.
    private func compact() {
        var kept: [UInt8] = []
        kept.reserveCapacity(pool.count - waste)
        for table in tables.indices {
            tables[table].update { piece in
                let start = Int32(kept.count)
                kept += pool[Int(piece.start)..<Int(piece.start) + Int(piece.count)]
                return Piece(owner: piece.owner, start: start, count: piece.count, offset: piece.offset)
            }
        }
        pool = kept
        waste = 0
    }
}
