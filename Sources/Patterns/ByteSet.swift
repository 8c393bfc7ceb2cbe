/// A set of bytes, as four words of bits.
package struct ByteSet: Hashable, Sendable {
    private var words: SIMD4<UInt64>

    /// The empty set.
    package init() { words = .zero }

    /// The set of these.
    package init(_ bytes: some Sequence<UInt8>) {
        self.init()
        for byte in bytes { insert(byte) }
    }

    /// The set of ASCII bytes by their bits, those below 64 in the first word, and perhaps all that aren't ASCII.
    package init(ascii low: UInt64, _ high: UInt64, hasOthers: Bool) {
        words = SIMD4(low, high, hasOthers ? .max : 0, hasOthers ? .max : 0)
    }

    /// The bytes that aren't ASCII.
    package static let beyondASCII = Self(0x80...0xff)

    package var isEmpty: Bool { words == .zero }
    package var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

    package func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 }

    package mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    package mutating func formUnion(_ other: Self) { words |= other.words }

    package func union(_ other: Self) -> Self {
        var union = self
        union.formUnion(other)
        return union
    }

    package func intersects(_ other: Self) -> Bool { words & other.words != .zero }

    package func isSubset(of other: Self) -> Bool { words & ~other.words == .zero }

    package static func == (one: Self, other: Self) -> Bool { one.words == other.words }
}
