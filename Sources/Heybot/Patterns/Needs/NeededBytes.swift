/// Sets of bytes of each of which at least one is in a text, the most selective ones only.
struct NeededBytes {
    /// How many sets are kept while reading.
    private static let most = 8
    /// A set with this weight or more is met by nearly every text.
    private static let useless = 900

    private var sets: [(set: ByteSet, weight: Int)] = []

    /// The sets, the most selective first.
    var sorted: [ByteSet] { sets.sorted { $0.weight < $1.weight }.map(\.set) }

    /// The most selective set.
    var best: ByteSet? { sets.min { $0.weight < $1.weight }?.set }

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

    mutating func insert(_ others: Self) {
        for other in others.sets { insert(other.set) }
    }

    /// Kinds of bytes, and about how often one such byte is in a thousand messages.
    private static let kinds: [(set: ByteSet, weight: Int)] = [
        (ByteSet(ascii: " "), 900), (ByteSet(0x61...0x7a), 200), (ByteSet(0x41...0x5a), 15), (.digits, 12),
        (ByteSet(0x21...0x7e).subtracting(.letters).subtracting(.digits), 10), (ByteSet(0...0x1f), 2)
    ]

    /// About how many times one of the bytes is in a thousand messages.
    private static func weight(of set: ByteSet) -> Int {
        kinds.reduce(set.intersects(.beyondASCII) ? 30 : 0) { $0 + $1.weight * set.intersection($1.set).count }
    }
}
