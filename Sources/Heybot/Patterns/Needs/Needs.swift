/// What every text that a pattern matches has, in any place for a search, and all the same if only its beginning is
/// matched.
///
/// All of it is about the very text the pattern is run on, as UTF-8 after the first step of `Folding`. A text that
/// doesn't have it can't match; one that has it may.
package struct Needs: Hashable, Sendable {
    /// Of each list at least one piece is in the text after both steps of `Folding`.
    ///
    /// The best list comes first. At most 8 lists of 1 to 32 pieces of 2 to 64 bytes, ASCII without `A` to `Z`.
    package let pieces: [[[UInt8]]]
    /// Of each set at least one byte is in the text after step 1, in its own case.
    ///
    /// The most selective set comes first. At most 4 sets. An empty one means that nothing matches.
    package let bytes: [ByteSet]
    /// How many bytes the text has at least after step 1.
    package let leastLength: Int
    /// If the match must be the whole text: the bytes that may be in it after step 1.
    package let only: ByteSet?

    /// Nothing is known: every text may match.
    package static let none = Self(pieces: [], bytes: [], leastLength: 0, only: nil)

    /// What texts have that contain one of these words; nothing if one is too short to go by.
    package init(containingOneOf words: [WantedWords]) {
        let pieces = words.map { Array($0.folded.prefix(64)) }
        let isKnown = (1...32).contains(pieces.count) && pieces.allSatisfy { $0.count > 1 }
        self.init(pieces: isKnown ? [pieces] : [], bytes: [], leastLength: 0, only: nil)
    }

    private init(pieces: [[[UInt8]]], bytes: [ByteSet], leastLength: Int, only: ByteSet?) {
        self.pieces = pieces
        self.bytes = bytes
        self.leastLength = leastLength
        self.only = only
    }

    /// What the matches of a pattern have; nothing if it wasn't understood.
    package init(of tree: PatternTree?) {
        guard let tree else {
            self = .none
            return
        }
        let findings = Findings(of: tree)
        pieces = PieceLists.best(of: findings.allLists)
        let pieces = pieces
        bytes = Array(findings.bytes.sorted.lazy.filter { !Self.areImplied($0, by: pieces) }.prefix(4))
        leastLength = findings.leastLength
        only = findings.isAtStart && findings.isAtEnd && findings.content != .all ? findings.content : nil
    }

    /// Whether nothing is known.
    package var isNothing: Bool { pieces.isEmpty && bytes.isEmpty && leastLength == 0 && only == nil }

    /// Whether the text may match.
    ///
    /// Simple rather than fast.
    package func admit(_ text: String) -> Bool { admit(folded: Folding.step1(text.utf8)) }

    /// The same for a text that has gone through the first step.
    package func admit(folded text: [UInt8]) -> Bool {
        guard text.count >= leastLength else { return false }
        if let only, !text.allSatisfy(only.contains) { return false }
        guard bytes.allSatisfy({ text.contains(where: $0.contains) }) else { return false }
        guard !pieces.isEmpty else { return true }
        let lowercase = Folding.step2(text)
        return pieces.allSatisfy { $0.contains { PieceLists.contains(lowercase, $0) } }
    }

    /// Whether a text with one piece of each list has a byte of the set anyhow.
    private static func areImplied(_ set: ByteSet, by pieces: [[[UInt8]]]) -> Bool {
        guard !set.isEmpty else { return false }
        let inBothCases = set.withoutSingleCases
        return pieces.contains { $0.allSatisfy { $0.contains(where: inBothCases.contains) } }
    }
}
