/// A set of bytes, stored as four words of bits.
package struct ByteSet: Hashable, Sendable {
    private var words: SIMD4<UInt64>

    /// The empty set.
    package init() { words = .zero }

    /// The set of these bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        self.init()
        for byte in bytes { insert(byte) }
    }

    /// The set of the bytes in a buffer: faster for many bytes than ``init(_:)``.
    package init(ofAll bytes: UnsafeBufferPointer<UInt8>) {
        words = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4) { words in
            words.initialize(repeating: 0)
            for byte in bytes { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
            return SIMD4(words[0], words[1], words[2], words[3])
        }
    }

    /// The set of ASCII bytes given by bits, those below 64 in the first word; with `hasOthers`, also all non-ASCII bytes.
    package init(ascii low: UInt64, _ high: UInt64, hasOthers: Bool) {
        words = SIMD4(low, high, hasOthers ? .max : 0, hasOthers ? .max : 0)
    }

    /// The set of the characters of an ASCII text.
    package init(ascii text: StaticString) {
        self.init()
        text.withUTF8Buffer { for byte in $0 { insert(byte) } }
    }

    /// The non-ASCII bytes.
    package static let beyondASCII = Self(0x80...0xff)
    /// The ASCII bytes.
    package static let ascii = Self(0...0x7f)
    /// All bytes.
    package static let all = Self(0...0xff)
    /// `0` to `9`.
    package static let digits = Self(0x30...0x39)
    /// `A` to `Z` and `a` to `z`.
    package static let letters = Self(0x41...0x5a).union(Self(0x61...0x7a))
    /// Letters, digits and `_`.
    package static let word = letters.union(digits).union(Self(CollectionOfOne(0x5f)))
    /// Tab, line feed, vertical tab, form feed, carriage return and space.
    package static let space = Self(0x09...0x0d).union(Self(CollectionOfOne(0x20)))

    package var isEmpty: Bool { words == .zero }
    package var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

    /// The bytes of the set, in ascending order.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<4 {
            var word = words[index]
            while word != 0 {
                bytes.append(UInt8(index * 64 + word.trailingZeroBitCount))
                word &= word - 1
            }
        }
        return bytes
    }

    /// The least byte of the set.
    package var first: UInt8? {
        for index in 0..<4 where words[index] != 0 { return UInt8(index * 64 + words[index].trailingZeroBitCount) }
        return nil
    }

    package func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 }

    package mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    package mutating func formUnion(_ other: Self) { words |= other.words }

    package func union(_ other: Self) -> Self {
        var union = self
        union.formUnion(other)
        return union
    }

    package func subtracting(_ other: Self) -> Self {
        var rest = self
        rest.words &= ~other.words
        return rest
    }

    package func intersection(_ other: Self) -> Self {
        var both = self
        both.words &= other.words
        return both
    }

    package func intersects(_ other: Self) -> Bool { words & other.words != .zero }

    package func isSubset(of other: Self) -> Bool { words & ~other.words == .zero }

    /// The set with each ASCII letter in both cases.
    package var inBothCases: Self {
        var set = self
        set.words[1] |= inOtherCase
        return set
    }

    /// The set without the ASCII letters that it contains in one case only.
    package var withoutSingleCases: Self {
        var set = self
        set.words[1] &= inOtherCase | ~Self.letters.words[1]
        return set
    }

    /// The ASCII letters of the set in the other case.
    ///
    /// A to Z and a to z are in the second word, 32 bits apart.
    private var inOtherCase: UInt64 {
        let uppercase: UInt64 = 0x07ff_fffe
        return (words[1] & uppercase) << 32 | (words[1] >> 32) & uppercase
    }
}
