/// What every text contains in which a pattern is found, whether it is searched for or matched at the beginning.
///
/// The requirements apply to the text that the pattern is run on, as UTF-8 after the first step of `ASCIIFolding`. A text that
/// doesn't meet them can't match; one that meets them may.
package struct MatchRequirements: Hashable, Sendable {
    /// Sets of literals: the text contains at least one literal of each, after both steps of `ASCIIFolding`.
    ///
    /// The most selective set comes first. At most 8 sets of 1 to 32 literals of 2 to 64 bytes, ASCII without `A` to `Z`.
    package let literals: [[[UInt8]]]
    /// Sets of bytes: the text contains at least one byte of each, case-sensitively, after step 1.
    ///
    /// The most selective set comes first. At most 4 sets. An empty set means that nothing matches.
    package let bytes: [ByteSet]
    /// The least length of the text in bytes, after step 1.
    package let leastLength: Int
    /// The bytes that the text may consist of, after step 1; nil unless the match must be the whole text.
    package let only: ByteSet?

    /// No requirements: every text may match.
    package static let none = Self(literals: [], bytes: [], leastLength: 0, only: nil)

    /// The requirements for texts that contain one of these words; none if a word is too short.
    package init(containingOneOf words: [FoldedLiteral]) {
        let literals = words.map { Array($0.folded.prefix(64)) }
        let isKnown = (1...32).contains(literals.count) && literals.allSatisfy { $0.count > 1 }
        self.init(literals: isKnown ? [literals] : [], bytes: [], leastLength: 0, only: nil)
    }

    private init(literals: [[[UInt8]]], bytes: [ByteSet], leastLength: Int, only: ByteSet?) {
        self.literals = literals
        self.bytes = bytes
        self.leastLength = leastLength
        self.only = only
    }

    /// The requirements of a pattern; none if it couldn't be parsed.
    package init(of tree: RegexAST?) {
        guard let tree else {
            self = .none
            return
        }
        let analysis = PatternAnalysis(of: tree)
        literals = LiteralSetRanking.best(of: analysis.allSets)
        let literals = literals
        bytes = Array(analysis.bytes.sorted.lazy.filter { !Self.areImplied($0, by: literals) }.prefix(4))
        leastLength = analysis.leastLength
        only = analysis.isAtStart && analysis.isAtEnd && analysis.content != .all ? analysis.content : nil
    }

    /// Whether there are no requirements.
    package var isEmpty: Bool { literals.isEmpty && bytes.isEmpty && leastLength == 0 && only == nil }

    /// Whether most texts meet them: a pattern that only requires some text is tried for every message.
    package var areMetByMostTexts: Bool { literals.isEmpty && bytes.isEmpty && leastLength < 2 && only == nil }

    /// Whether a text meets the requirements.
    ///
    /// For tests: simple rather than fast.
    package func admit(_ text: String) -> Bool { admit(folded: ASCIIFolding.replaceLookalikes(text.utf8)) }

    /// Whether a text meets the requirements, given after step 1.
    package func admit(folded text: [UInt8]) -> Bool {
        guard text.count >= leastLength else { return false }
        if let only, !text.allSatisfy(only.contains) { return false }
        guard bytes.allSatisfy({ text.contains(where: $0.contains) }) else { return false }
        guard !literals.isEmpty else { return true }
        let lowercase = ASCIIFolding.lowercaseASCII(text)
        return literals.allSatisfy { $0.contains { LiteralSetRanking.contains(lowercase, $0) } }
    }

    /// Whether every text with one literal of each set contains a byte of `set` anyway.
    private static func areImplied(_ set: ByteSet, by literals: [[[UInt8]]]) -> Bool {
        guard !set.isEmpty else { return false }
        let inBothCases = set.withoutSingleCases
        return literals.contains { $0.allSatisfy { $0.contains(where: inBothCases.contains) } }
    }
}
