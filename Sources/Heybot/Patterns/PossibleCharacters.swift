/// The characters that may match at one position.
///
/// It may contain too many characters, but never too few.
package struct PossibleCharacters: Hashable, Sendable {
    /// The ASCII characters of the class, in both cases if case is ignored.
    ///
    /// A character that `ASCIIFolding` replaces by an ASCII one counts as that one too.
    package var ascii: ByteSet
    /// Whether the class contains, or may contain, non-ASCII characters.
    package var hasOthers: Bool
    /// Whether a non-ASCII character of the class may contain ASCII characters that aren't in `ascii`.
    ///
    /// In Swift, `e` followed by a combining accent is one character, which may be in the class although `e` isn't.
    package var hasClusters: Bool

    package init(ascii: ByteSet, hasOthers: Bool, hasClusters: Bool = false) {
        self.ascii = ascii
        self.hasOthers = hasOthers
        self.hasClusters = hasClusters
    }

    /// Every character.
    package static let any = Self(ascii: .ascii, hasOthers: true, hasClusters: true)

    /// A set of bytes of which each character of the class contains at least one, after lookalikes are replaced (`ASCIIFolding`).
    var bytes: ByteSet { hasOthers ? ascii.union(.beyondASCII) : ascii }

    mutating func formUnion(_ other: Self) {
        ascii.formUnion(other.ascii)
        hasOthers = hasOthers || other.hasOthers
        hasClusters = hasClusters || other.hasClusters
    }
}
