/// The literals indexed by n-grams of one length: a hash table with open addressing.
final class NGramTable {
    typealias Literal = NGramIndex.Literal

    private struct Node {
        var literal: Literal
        /// The index of the next node with the same n-gram; -1 after the last.
        var next: Int32
    }

    private let length: Int
    private let mask: UInt64
    /// The n-grams, each at the first free slot from its hash on; zero for a free slot.
    private var keys: [UInt64]
    /// The first node of each n-gram.
    private var heads: [Int32]
    /// The number of literals of each n-gram.
    private var counts: [Int32]
    private var nodes: [Node] = []
    /// A bit for each n-gram, by its hash.
    ///
    /// It excludes most n-grams of a text.
    private var bitmap: [UInt64]
    /// The number of n-grams.
    private var used = 0

    /// - Parameter length: The length of the n-grams, 2 to 7 bytes.
    init(length: Int) {
        self.length = length
        mask = (1 << UInt64(8 * length)) - 1
        (keys, heads, counts, bitmap) = Self.empty(capacity: 16)
    }

    /// Adds a literal by its rarest n-gram.
    ///
    /// - Parameter make: Makes the literal, given the position of that n-gram in it.
    /// - Returns: The n-gram, in the lowest bytes.
    func insert(_ bytes: [UInt8], _ make: (_ offset: Int) -> Literal) -> UInt64 {
        if (used + 1) * 2 > keys.count { rebuild() }
        let (offset, key) = rarest(of: bytes)
        let place = place(of: key)
        if keys[place] == 0 {
            keys[place] = key
            used += 1
        }
        nodes.append(Node(literal: make(offset), next: heads[place]))
        heads[place] = Int32(nodes.count - 1)
        counts[place] += 1
        mark(key)
        return key
    }

    /// The number of literals that share the rarest n-gram of these bytes.
    func sharedCount(of bytes: [UInt8]) -> Int {
        Int(counts[place(of: rarest(of: bytes).key)])
    }

    /// Calls `found` with each literal whose n-gram these bytes begin with.
    func search(_ word: UInt64, _ found: (Literal) -> Void) {
        let key = key(word)
        let bit = Int(Self.hash(key) >> Self.shift(for: bitmap.count * 64))
        guard bitmap[bit >> 6] & (1 << UInt64(bit & 63)) != 0 else { return }
        var index = heads[place(of: key)]
        while index >= 0 {
            let node = nodes[Int(index)]
            found(node.literal)
            index = node.next
        }
    }

    // MARK: N-grams

    /// The n-gram in the lowest bytes, as a key that is never zero.
    @inline(__always) private func key(_ word: UInt64) -> UInt64 { word & mask | 1 << 56 }

    /// The n-gram of these bytes at a position.
    private func gram(of bytes: [UInt8], at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        var position = min(offset + length, bytes.count)
        while position > offset {
            position -= 1
            word = word << 8 | UInt64(bytes[position])
        }
        return key(word)
    }

    private func rarest(of bytes: [UInt8]) -> (offset: Int, key: UInt64) {
        var rarest = (offset: 0, key: gram(of: bytes, at: 0))
        var fewest = counts[place(of: rarest.key)]
        var offset = 1
        while fewest > 0, offset <= bytes.count - length {
            let key = gram(of: bytes, at: offset)
            let count = counts[place(of: key)]
            if count < fewest {
                rarest = (offset: offset, key: key)
                fewest = count
            }
            offset += 1
        }
        return rarest
    }

    // MARK: Hashing

    @inline(__always) private static func hash(_ key: UInt64) -> UInt64 { key &* 0x9E37_79B9_7F4A_7C15 }

    /// The shift that reduces a hash to its highest bits, for a capacity that is a power of two.
    @inline(__always) private static func shift(for capacity: Int) -> UInt64 {
        UInt64(64 - capacity.trailingZeroBitCount)
    }

    /// The slot of an n-gram, or the free slot for it.
    ///
    /// There is always a free slot.
    @inline(__always) private func place(of key: UInt64) -> Int {
        var place = Int(Self.hash(key) >> Self.shift(for: keys.count))
        while keys[place] != 0, keys[place] != key { place = (place &+ 1) & (keys.count &- 1) }
        return place
    }

    private func mark(_ key: UInt64) {
        let bit = Int(Self.hash(key) >> Self.shift(for: bitmap.count * 64))
        bitmap[bit >> 6] |= 1 << UInt64(bit & 63)
    }

    // MARK: Capacity

    private static func empty(capacity: Int) -> ([UInt64], [Int32], [Int32], [UInt64]) {
        (
            Array(repeating: 0, count: capacity), Array(repeating: -1, count: capacity),
            Array(repeating: 0, count: capacity),
            // Large enough that few of the bits are set.
            Array(repeating: 0, count: max(capacity * 16 / 64, 64))
        )
    }

    /// Doubles the capacity.
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
