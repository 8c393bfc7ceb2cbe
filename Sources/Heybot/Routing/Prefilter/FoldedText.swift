/// A text as the prefilter looks at it, for as long as a closure runs.
///
/// Characters that regexes take for ASCII ones are those ASCII ones, and letters are in lower case (``Folding``).
struct FoldedText {
    /// How many bytes may be read behind the text: they are zero.
    private static let padding = 8

    /// The folded text, and the padding behind it.
    let buffer: UnsafeRawBufferPointer
    /// How many bytes the text has, without the padding.
    let count: Int
    /// The bytes of the text before its case was folded; one that isn't ASCII stands for all of them.
    let bytes: ByteSet

    /// Folds the text into memory that is there while the closure runs; on the stack, if it is short.
    ///
    /// - Parameter foldsSpecials: Whether those characters are folded; without that matches are lost.
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

    /// Eight bytes from there on, the first the lowest; those behind the text are zero.
    @inline(__always) func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// The ASCII byte that the character there may be taken for, as ``Folding/step1(_:)`` has it.
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
        var (low, high, hasOthers) = (UInt64(0), UInt64(0), false)
        var (source, count) = (0, 0)
        while source < text.count {
            var byte = text[source]
            source &+= 1
            if byte >= 0x80 {
                if foldsSpecials, let (folded, length) = special(text, at: source &- 1) {
                    byte = folded
                    source &+= length &- 1
                } else {
                    hasOthers = true
                }
            }
            // Which word the bit belongs to, without a branch.
            let bit = UInt64(byte < 0x80 ? 1 : 0) << UInt64(byte & 63)
            let isHigh = 0 &- UInt64(byte >> 6 & 1)
            low |= bit & ~isHigh
            high |= bit & isHigh
            buffer[count] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            count &+= 1
        }
        return (count, ByteSet(ascii: low, high, hasOthers: hasOthers))
    }
}
