/// How the bytes of a message are changed before literals and bytes are searched for in it.
///
/// There are two steps:
/// 1. The four non-ASCII characters that a regex engine may match as an ASCII character are replaced by it. All other bytes stay
///    unchanged, even invalid UTF-8. Each replacement makes the text one or two bytes shorter.
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
/// Required bytes are those after step 1, required literals those after both steps.
package enum ASCIIFolding {
    /// The characters by which step 1 replaces others.
    static let results = ByteSet(ascii: "Ks;`")

    /// Step 1: replaces the four non-ASCII lookalikes.
    package static func replaceLookalikes(_ text: some Sequence<UInt8>) -> [UInt8] {
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

    /// Step 2: changes ASCII letters to lower case.
    package static func lowercaseASCII(_ text: [UInt8]) -> [UInt8] { text.map(lowercase) }

    /// Step 2 for one byte.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The lookalike that these bytes end with: its length, and the byte that replaces it.
    private static func ending(_ bytes: [UInt8]) -> (length: Int, result: UInt8)? {
        let end = bytes.suffix(3)
        if end.elementsEqual([0xe2, 0x84, 0xaa]) { return (3, UInt8(ascii: "K")) }
        if end.elementsEqual([0xe1, 0xbf, 0xaf]) { return (3, UInt8(ascii: "`")) }
        if end.suffix(2).elementsEqual([0xc5, 0xbf]) { return (2, UInt8(ascii: "s")) }
        if end.suffix(2).elementsEqual([0xcd, 0xbe]) { return (2, UInt8(ascii: ";")) }
        return nil
    }
}

/// A text to search for in messages, ignoring the case of ASCII letters.
package struct FoldedLiteral: Sendable {
    let folded: [UInt8]

    package init(_ words: String) {
        folded = ASCIIFolding.lowercaseASCII(ASCIIFolding.replaceLookalikes(words.utf8))
    }

    /// Whether a message contains it.
    package func isContained(in text: String) -> Bool {
        LiteralSetRanking.contains(ASCIIFolding.lowercaseASCII(ASCIIFolding.replaceLookalikes(text.utf8)), folded)
    }
}
