#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Cuts what comes from a server into lines.
struct LineBuffer {
    /// With tags a line has at most 8,191 bytes of them and 512 others (IRCv3 message-tags); some servers allow more.
    static let longest = 16_384

    private var partial: [UInt8] = []
    /// The rest of a line that is too long is thrown away.
    private var isSkipping = false

    /// Gives each line of the bytes, without its line break, to `take`; keeps what has no end yet.
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
                partial.removeAll(keepingCapacity: partial.capacity <= Self.longest)
            }
        }
        if isSkipping { return }
        partial += rest
        if partial.count > Self.longest {
            isSkipping = true
            partial = []
        }
    }

    /// Where the first line ends; `memchr` looks at many bytes at once.
    private static func lineEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let end = memchr(start, 0x0a, buffer.count) else { return nil }
            return bytes.startIndex + (UnsafeRawPointer(end) - start)
        }
    }
}
