/// The pieces that are found by grams of one length, by gram.
final class GramTable {
    typealias Piece = GramIndex.Piece

    private struct Node {
        var piece: Piece
        /// The next with the same gram; -1 behind the last.
        var next: Int32
    }

    private let length: Int
    private let mask: UInt64
    /// Grams by their hash, each at the first free place from there on; zero if there is none.
    private var keys: [UInt64]
    /// The first piece of each gram.
    private var heads: [Int32]
    /// How many pieces each gram has.
    private var counts: [Int32]
    private var nodes: [Node] = []
    /// A bit for each gram, by its hash: most grams of a text are told from it not to be here.
    private var bitmap: [UInt64]
    /// How many grams there are.
    private var used = 0

    /// - Parameter length: 2 to 7 bytes.
    init(length: Int) {
        self.length = length
        mask = (1 << UInt64(8 * length)) - 1
        (keys, heads, counts, bitmap) = Self.empty(capacity: 16)
    }

    /// Adds a piece by that of its grams which the fewest share.
    ///
    /// - Parameter make: Makes the piece, given where in it that gram is.
    /// - Returns: The gram, in the lowest bytes.
    func insert(_ bytes: [UInt8], _ make: (_ offset: Int) -> Piece) -> UInt64 {
        if (used + 1) * 2 > keys.count { rebuild() }
        let (offset, key) = rarest(of: bytes)
        let place = place(of: key)
        if keys[place] == 0 {
            keys[place] = key
            used += 1
        }
        nodes.append(Node(piece: make(offset), next: heads[place]))
        heads[place] = Int32(nodes.count - 1)
        counts[place] += 1
        mark(key)
        return key
    }

    /// How many pieces share the rarest gram of these bytes.
    func crowd(of bytes: [UInt8]) -> Int {
        Int(counts[place(of: rarest(of: bytes).key)])
    }

    /// Calls the closure with every piece whose gram these bytes begin with.
    func search(_ word: UInt64, _ found: (Piece) -> Void) {
        let key = key(word)
        let bit = Int(Self.hash(key) >> Self.shift(for: bitmap.count * 64))
        guard bitmap[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { return }
        var index = heads[place(of: key)]
        while index >= 0 {
            let node = nodes[Int(index)]
            found(node.piece)
            index = node.next
        }
    }

    // MARK: Grams

    /// The gram in the lowest bytes; never zero.
    @inline(__always) private func key(_ word: UInt64) -> UInt64 { word & mask | 1 << 56 }

    private func grams(of bytes: [UInt8]) -> [(offset: Int, key: UInt64)] {
        (0...max(bytes.count - length, 0)).map { offset in
            let word = bytes[offset..<min(offset + length, bytes.count)].reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            return (offset, key(word))
        }
    }

    private func rarest(of bytes: [UInt8]) -> (offset: Int, key: UInt64) {
        var rarest = (offset: 0, key: key(0))
        var fewest = Int32.max
        for gram in grams(of: bytes) {
            let count = counts[place(of: gram.key)]
            if count < fewest { (rarest, fewest) = (gram, count) }
        }
        return rarest
    }

    // MARK: Hashing

    @inline(__always) private static func hash(_ key: UInt64) -> UInt64 { key &* 0x9E37_79B9_7F4A_7C15 }

    /// Which bits of a hash tell one of so many places, a power of two: the highest.
    @inline(__always) private static func shift(for capacity: Int) -> UInt64 {
        UInt64(64 - capacity.trailingZeroBitCount)
    }

    /// Where the gram is, or would be; there is always a place without any.
    @inline(__always) private func place(of key: UInt64) -> Int {
        var place = Int(Self.hash(key) >> Self.shift(for: keys.count))
        while keys[place] != 0, keys[place] != key { place = (place &+ 1) & (keys.count &- 1) }
        return place
    }

    private func mark(_ key: UInt64) {
        let bit = Int(Self.hash(key) >> Self.shift(for: bitmap.count * 64))
        bitmap[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    // MARK: Room

    private static func empty(capacity: Int) -> ([UInt64], [Int32], [Int32], [UInt64]) {
        (
            Array(repeating: 0, count: capacity), Array(repeating: -1, count: capacity),
            Array(repeating: 0, count: capacity),
            // So few of these bits are set that few texts get past them.
            Array(repeating: 0, count: max(capacity * 16 / 64, 64))
        )
    }

    /// Makes room for as many grams again.
    private func rebuild() {
        let (oldKeys, oldHeads, oldCounts) = (keys, heads, counts)
        var capacity = 16
        while capacity < (used + 1) * 4 { capacity *= 2 }
        (keys, heads, counts, bitmap) = Self.empty(capacity: capacity)
        for (old, key) in oldKeys.enumerated() where key != 0 {
            let place = place(of: key)
            (keys[place], heads[place], counts[place]) = (key, oldHeads[old], oldCounts[old])
            mark(key)
        }
    }
}
