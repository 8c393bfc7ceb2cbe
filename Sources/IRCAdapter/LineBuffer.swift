#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Splits a server's byte stream into lines.
struct LineBuffer {
    /// A line has at most 8,191 bytes of tags and 512 others (IRCv3 message-tags); some servers allow more.
    static let maxLineLength = 16_384

    private var partial: [UInt8] = []
    /// Whether the rest of an overlong line is being discarded.
    private var isSkipping = false

    /// Passes each complete line, without its line break, to `take`; buffers the rest.
    mutating func cut(_ bytes: ArraySlice<UInt8>, _ take: (ArraySlice<UInt8>) -> Void) {
        var rest = bytes
        while let end = Self.lineEnd(in: rest) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if isSkipping {
                isSkipping = false
            } else if partial.isEmpty {
                take(line)
            } else {
                partial += line
                take(partial[...])
                partial.removeAll(keepingCapacity: partial.capacity <= Self.maxLineLength)
            }
        }
        if isSkipping { return }
        partial += rest
        if partial.count > Self.maxLineLength {
            isSkipping = true
            partial = []
        }
    }

    /// Returns the end of the first line; `memchr` checks many bytes at once.
    private static func lineEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let end = memchr(start, 0x0a, buffer.count) else { return nil }
            return bytes.startIndex + (UnsafeRawPointer(end) - start)
        }
    }
}
