/// How a message's bytes are changed before pieces and bytes are looked for in it.
///
/// There are two steps:
/// 1. The four characters beyond ASCII that an engine may take for an ASCII one become that one. Every other byte
///    stays as it is, also one that is no proper UTF-8. So the text gets shorter by one or two bytes for each of them.
///
///    | character               | bytes      | becomes |
///    |-------------------------|------------|---------|
///    | U+017F long s           | `C5 BF`    | `s`     |
///    | U+037E Greek question   | `CD BE`    | `;`     |
///    | U+1FEF Greek varia      | `E1 BF AF` | `` ` `` |
///    | U+212A Kelvin sign      | `E2 84 AA` | `K`     |
///
/// 2. `A` to `Z` become `a` to `z`.
///
/// Needed bytes are those after step 1, needed pieces those after both.
package enum Folding {
    /// The characters that step 1 may put into a text.
    static let results = ByteSet(ascii: "Ks;`")

    /// Step 1.
    package static func step1(_ text: some Sequence<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.underestimatedCount)
        for byte in text {
            folded.append(byte)
            guard byte >= 0x80, let (length, result) = ending(folded) else { continue }
            folded.removeLast(length)
            folded.append(result)
        }
        return folded
    }

    /// Step 2.
    package static func step2(_ text: [UInt8]) -> [UInt8] { text.map(lowercase) }

    /// One byte of step 2.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The one of the four characters that these bytes end with.
    private static func ending(_ bytes: [UInt8]) -> (length: Int, result: UInt8)? {
        let end = bytes.suffix(3)
        if end.elementsEqual([0xe2, 0x84, 0xaa]) { return (3, UInt8(ascii: "K")) }
        if end.elementsEqual([0xe1, 0xbf, 0xaf]) { return (3, UInt8(ascii: "`")) }
        if end.suffix(2).elementsEqual([0xc5, 0xbf]) { return (2, UInt8(ascii: "s")) }
        if end.suffix(2).elementsEqual([0xcd, 0xbe]) { return (2, UInt8(ascii: ";")) }
        return nil
    }
}

/// Words that a text may have in it, ASCII letters in either case.
package struct WantedWords: Sendable {
    let folded: [UInt8]

    package init(_ words: String) { folded = Folding.step2(Folding.step1(words.utf8)) }

    /// Whether a text has them.
    package func are(in text: String) -> Bool {
        PieceLists.contains(Folding.step2(Folding.step1(text.utf8)), folded)
    }
}
