/// Operations on sets of literals, of which a text contains at least one.
enum LiteralSetRanking {
    /// The greatest number of literals in a set.
    static let maxLiterals = 32
    /// The greatest length of a literal in bytes.
    static let maxLiteralLength = 64
    /// The greatest number of sets that are kept.
    static let maxSets = 8

    /// An estimate of how likely a text contains one of the literals: less is better.
    static func weight(of set: [[UInt8]]) -> UInt64 {
        set.reduce(0) { $0 + 1 << (2 * UInt64(12 - min($1.count, 12))) }
    }

    /// Reduces the sets to the best ``maxSets``, if there are more than twice as many.
    static func trim(_ sets: inout [[[UInt8]]]) {
        guard sets.count > 2 * maxSets else { return }
        sets = Array(sorted(sets).prefix(maxSets))
    }

    /// The set with the least weight.
    static func best(in sets: [[[UInt8]]]) -> [[UInt8]]? {
        sets.count == 1 ? sets.first : sorted(sets).first
    }

    private static func sorted(_ sets: [[[UInt8]]]) -> [[[UInt8]]] {
        guard sets.count > 1 else { return sets }
        return sets.map { (weight: weight(of: $0), set: $0) }.sorted { $0.weight < $1.weight }.map(\.set)
    }

    /// The sets to search for, the best first, without redundant literals and sets.
    static func best(of sets: [[[UInt8]]]) -> [[[UInt8]]] {
        var kept: [[[UInt8]]] = []
        for set in sorted(sets.map(reduced)) where kept.count < maxSets {
            // A set is redundant if each literal of a better set contains one of its literals.
            let isImplied = kept.contains { better in
                better.allSatisfy { literal in set.contains { contains(literal, $0) } }
            }
            if !isImplied { kept.append(set) }
        }
        return kept
    }

    /// The set without literals that contain another one.
    private static func reduced(_ set: [[UInt8]]) -> [[UInt8]] {
        guard set.count > 1 else { return set }
        var kept: [[UInt8]] = []
        for literal in set.sorted(by: { $0.count < $1.count }) where !kept.contains(where: { contains(literal, $0) }) {
            kept.append(literal)
        }
        return kept
    }

    /// Whether a text contains a literal.
    static func contains(_ text: [UInt8], _ literal: [UInt8]) -> Bool {
        guard let first = literal.first else { return true }
        guard text.count >= literal.count else { return false }
        return text.withUnsafeBufferPointer { text in
            literal.withUnsafeBufferPointer { literal in
                for start in 0...text.count - literal.count where text[start] == first {
                    var length = 1
                    while length < literal.count, text[start + length] == literal[length] { length += 1 }
                    if length == literal.count { return true }
                }
                return false
            }
        }
    }
}
