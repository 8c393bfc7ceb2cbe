/// Sets of bytes: a text contains at least one byte of each.
///
/// Only the most selective sets are kept.
struct RequiredByteSets {
    /// The number of sets that are kept.
    private static let most = 8
    /// The weight from which on nearly every text contains a byte of a set.
    private static let useless = 900

    private var sets: [(set: ByteSet, weight: Int)] = []

    /// The sets, the most selective first.
    var sorted: [ByteSet] { sets.sorted { $0.weight < $1.weight }.map(\.set) }

    /// The most selective set.
    var best: ByteSet? { sets.min { $0.weight < $1.weight }?.set }

    /// Adds a set, unless it is useless or implied by another.
    mutating func insert(_ set: ByteSet) {
        let weight = Self.weight(of: set)
        guard weight < Self.useless else { return }
        for other in sets where other.set.isSubset(of: set) { return }
        if sets.contains(where: { set.isSubset(of: $0.set) }) { sets.removeAll { set.isSubset(of: $0.set) } }
        if sets.count < Self.most {
            sets.append((set, weight))
        } else if let worst = sets.indices.max(by: { sets[$0].weight < sets[$1].weight }), sets[worst].weight > weight {
            sets[worst] = (set, weight)
        }
    }

    /// Adds the sets of another analysis.
    mutating func insert(_ others: Self) {
        for other in others.sets { insert(other.set) }
    }

    /// Kinds of bytes, with the approximate number of messages in a thousand that contain one such byte.
    private static let kinds: [(set: ByteSet, weight: Int)] = [
        (ByteSet(ascii: " "), 900), (ByteSet(0x61...0x7a), 200), (ByteSet(0x41...0x5a), 15), (.digits, 12),
        (ByteSet(0x21...0x7e).subtracting(.letters).subtracting(.digits), 10), (ByteSet(0...0x1f), 2)
    ]

    /// The approximate number of messages in a thousand that contain one of the bytes.
    private static func weight(of set: ByteSet) -> Int {
        kinds.reduce(set.intersects(.beyondASCII) ? 30 : 0) { $0 + $1.weight * set.intersection($1.set).count }
    }
}
