/// What is done with lists of pieces, of which at least one is in a text.
enum PieceLists {
    /// The most pieces in a list.
    static let mostPieces = 32
    /// The most bytes in a piece.
    static let longestPiece = 64
    /// The most lists that are kept.
    static let mostLists = 8

    /// How likely it is that one of the pieces is in a text, roughly: less is better.
    static func weight(of list: [[UInt8]]) -> UInt64 {
        list.reduce(0) { $0 + 1 << (2 * UInt64(12 - min($1.count, 12))) }
    }

    /// The better half of more than twice as many lists as are kept.
    static func trim(_ lists: inout [[[UInt8]]]) {
        guard lists.count > 2 * mostLists else { return }
        lists = Array(sorted(lists).prefix(mostLists))
    }

    /// The list with the least weight.
    static func best(in lists: [[[UInt8]]]) -> [[UInt8]]? {
        lists.count == 1 ? lists.first : sorted(lists).first
    }

    private static func sorted(_ lists: [[[UInt8]]]) -> [[[UInt8]]] {
        guard lists.count > 1 else { return lists }
        return lists.map { (weight: weight(of: $0), list: $0) }.sorted { $0.weight < $1.weight }.map(\.list)
    }

    /// The lists to look for, the best first, without pieces and lists that others make needless.
    static func best(of lists: [[[UInt8]]]) -> [[[UInt8]]] {
        var kept: [[[UInt8]]] = []
        for list in sorted(lists.map(reduced)) where kept.count < mostLists {
            // Each piece of a better list may have one of these in it.
            let isImplied = kept.contains { better in
                better.allSatisfy { piece in list.contains { contains(piece, $0) } }
            }
            if !isImplied { kept.append(list) }
        }
        return kept
    }

    /// The list without pieces that have another one in them.
    private static func reduced(_ list: [[UInt8]]) -> [[UInt8]] {
        guard list.count > 1 else { return list }
        var kept: [[UInt8]] = []
        for piece in list.sorted(by: { $0.count < $1.count }) where !kept.contains(where: { contains(piece, $0) }) {
            kept.append(piece)
        }
        return kept
    }

    /// Whether the piece is in the text.
    static func contains(_ text: [UInt8], _ piece: [UInt8]) -> Bool {
        guard let first = piece.first else { return true }
        guard text.count >= piece.count else { return false }
        return text.withUnsafeBufferPointer { text in
            piece.withUnsafeBufferPointer { piece in
                for start in 0...text.count - piece.count where text[start] == first {
                    var length = 1
                    while length < piece.count, text[start + length] == piece[length] { length += 1 }
                    if length == piece.count { return true }
                }
                return false
            }
        }
    }
}
