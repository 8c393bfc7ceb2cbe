extension PossibleCharacters {
    /// All characters.
    static let all = Self(ascii: ByteSet(0...0x7f), hasOthers: true)

    var isEmpty: Bool { ascii.isEmpty && !hasOthers }

    /// Whether a character may be in both classes.
    ///
    /// The non-ASCII characters aren't known. Classes with different ASCII characters, such as `\w` and `\s`, are assumed to have
    /// different ones; a class without ASCII characters only differs from spaces and digits.
    func intersects(_ other: Self) -> Bool {
        if ascii.intersects(other.ascii) { return true }
        guard hasOthers, other.hasOthers, ascii.isEmpty || other.ascii.isEmpty else { return false }
        let both = ascii.union(other.ascii)
        return both.isEmpty || !both.isSubset(of: Self.spacesAndDigits)
    }

    private static let spacesAndDigits = ByteSet(Array("\t\n\u{b}\u{c}\r 0123456789".utf8))

    func intersection(_ other: Self) -> Self {
        Self(ascii: ascii.intersection(other.ascii), hasOthers: hasOthers && other.hasOthers)
    }

    /// A character of the class, one that is easy to read if possible.
    var example: Character? {
        for byte in Self.readable where ascii.contains(byte) { return Character(UnicodeScalar(byte)) }
        if hasOthers { return "é" }
        return (UInt8(0)..<0x80).first { ascii.contains($0) }.map { Character(UnicodeScalar($0)) }
    }

    /// Letters, digits, then other visible characters.
    private static let readable: [UInt8] =
        Array(UInt8(ascii: "a")...UInt8(ascii: "z")) + Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        + Array(UInt8(ascii: "1")...UInt8(ascii: "9")) + Array(UInt8(ascii: "!")...UInt8(ascii: "~"))
        + [UInt8(ascii: " ")]
}
