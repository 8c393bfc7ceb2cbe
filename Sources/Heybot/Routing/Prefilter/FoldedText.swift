/// A text folded for the prefilter, valid while a closure runs.
///
/// Characters that a regex may match as an ASCII character are replaced by it, and letters are in lower case (``ASCIIFolding``).
struct FoldedText {
    /// The number of bytes after the text that may be read; they are zero.
    private static let padding = 8

    /// The folded text, followed by the padding.
    let buffer: UnsafeRawBufferPointer
    /// The length of the text in bytes, without the padding.
    let count: Int
    /// The bytes of the text before its case was folded.
    ///
    /// If one isn't ASCII, all non-ASCII bytes are included.
    let bytes: ByteSet

    /// Folds a text into temporary memory, on the stack if it is short, and calls `body` with it.
    ///
    /// - Parameter foldsSpecials: Whether non-ASCII lookalikes are replaced. If not, matches are missed.
    static func with<Result>(
        _ text: Substring, foldsSpecials: Bool = true, _ body: (FoldedText) -> Result
    ) -> Result {
        var text = text
        return text.withUTF8 { text in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + padding) { buffer in
                let (count, bytes) = fold(text, into: buffer, foldsSpecials)
                for position in count..<count + padding { buffer[position] = 0 }
                return body(FoldedText(buffer: UnsafeRawBufferPointer(buffer), count: count, bytes: bytes))
            }
        }
    }

    /// The eight bytes from a position on, the first one lowest.
    ///
    /// Bytes after the end of the text are zero.
    @inline(__always) func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The ASCII byte that replaces the character at a position, as ``ASCIIFolding/replaceLookalikes(_:)`` defines it.
    private static func special(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> (UInt8, length: Int)? {
        let rest = text.count &- position
        switch text[position] {
        case 0xC5 where rest > 1 && text[position &+ 1] == 0xBF: return (UInt8(ascii: "s"), 2)
        case 0xCD where rest > 1 && text[position &+ 1] == 0xBE: return (UInt8(ascii: ";"), 2)
        case 0xE1 where rest > 2 && text[position &+ 1] == 0xBF && text[position &+ 2] == 0xAF:
            return (UInt8(ascii: "`"), 3)
        case 0xE2 where rest > 2 && text[position &+ 1] == 0x84 && text[position &+ 2] == 0xAA:
            return (UInt8(ascii: "K"), 3)
        default: return nil
        }
    }

    private static func fold(
        _ text: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>, _ foldsSpecials: Bool
    ) -> (count: Int, bytes: ByteSet) {
        var bytes = ByteSet(ofAll: text)
        var count = text.count
        // Few texts have such characters.
        if foldsSpecials, bytes.intersects(firstBytesOfSpecials) {
            (bytes, count) = (ByteSet(), 0)
            var source = 0
            while source < text.count {
                let (byte, length) = special(text, at: source) ?? (text[source], 1)
                bytes.insert(byte)
                buffer[count] = ASCIIFolding.lowercase(byte)
                count &+= 1
                source &+= length
            }
        } else {
            // The compiler makes vector instructions of this.
            for index in 0..<count { buffer[index] = ASCIIFolding.lowercase(text[index]) }
        }
        return (count, bytes.isSubset(of: .ascii) ? bytes : bytes.union(.beyondASCII))
    }

    /// The first bytes of the characters that ``special(_:at:)`` replaces.
    private static let firstBytesOfSpecials = ByteSet([0xC5, 0xCD, 0xE1, 0xE2])
}
