/// Turns text upside down and back.
enum UpsideDownText {
    private static let pairs = WordLists.turned.compactMap { line -> (Character, Character)? in
        let characters = line.split(separator: " ")
        guard characters.count == 2, let upright = characters[0].first, let turned = characters[1].first else {
            return nil
        }
        return (upright, turned)
    }
    private static let toTurned = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    private static let toUpright = Dictionary(pairs.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns a text upside down.
    static func turned(_ words: String) -> String {
        String(words.reversed().map { toTurned[$0] ?? $0 })
    }

    /// Turns an upside-down text back; other texts are returned unchanged.
    static func upright(_ words: String) -> String {
        // Some letters are other letters upside down, so they don't count as turned.
        let isTurned = words.contains { toUpright[$0] != nil && toTurned[$0] == nil }
        return isTurned ? String(words.reversed().map { toUpright[$0] ?? $0 }) : words
    }
}
