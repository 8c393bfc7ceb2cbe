/// Words that stand on their heads.
enum UpsideDown {
    private static let pairs = WordList.turned.compactMap { line -> (Character, Character)? in
        let characters = line.split(separator: " ")
        guard characters.count == 2, let upright = characters[0].first, let turned = characters[1].first else {
            return nil
        }
        return (upright, turned)
    }
    private static let toTurned = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    private static let toUpright = Dictionary(pairs.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    /// The words upside down, to be read from the right.
    static func turned(_ words: String) -> String {
        String(words.reversed().map { toTurned[$0] ?? $0 })
    }

    /// The words as they were before they were turned; as they are if nothing in them is upside down.
    static func upright(_ words: String) -> String {
        // Some letters are others upside down, so they tell nothing.
        let isTurned = words.contains { toUpright[$0] != nil && toTurned[$0] == nil }
        return isTurned ? String(words.reversed().map { toUpright[$0] ?? $0 }) : words
    }
}
