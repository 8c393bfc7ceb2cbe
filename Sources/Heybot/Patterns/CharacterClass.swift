/// Which characters may stand in one place.
///
/// It may have too many of them, never too few.
package struct CharacterClass: Hashable, Sendable {
    /// The ASCII characters among them, in both cases if case doesn't matter.
    ///
    /// A character that `Folding` takes for an ASCII one counts as that one too.
    package var ascii: ByteSet
    /// Whether there are, or may be, others.
    package var hasOthers: Bool
    /// Whether one of the others may have ASCII characters in it that aren't in `ascii`.
    ///
    /// Swift takes `e` with an accent behind it for one character, which may be among the others without `e` being
    /// among these.
    package var hasClusters: Bool

    package init(ascii: ByteSet, hasOthers: Bool, hasClusters: Bool = false) {
        self.ascii = ascii
        self.hasOthers = hasOthers
        self.hasClusters = hasClusters
    }

    /// Every character.
    package static let any = Self(ascii: .ascii, hasOthers: true, hasClusters: true)

    /// The bytes of which at least one is in each of the characters, after the first step of `Folding`.
    var bytes: ByteSet { hasOthers ? ascii.union(.beyondASCII) : ascii }

    mutating func formUnion(_ other: Self) {
        ascii.formUnion(other.ascii)
        hasOthers = hasOthers || other.hasOthers
        hasClusters = hasClusters || other.hasClusters
    }
}
