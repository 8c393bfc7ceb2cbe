/// Splits what a player sends into lines, each with a limited length.
struct MPDLineReader {
    /// The greatest length of a line in bytes; no tag that is shown is longer.
    static let longest = 64 << 10

    /// A line is longer than ``longest``.
    struct TooLong: Error {}

    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// The bytes before this index contain no further line break.
    private var searched = 0

    /// Adds received bytes; then ``next()`` must be called until it returns nil.
    mutating func feed(_ received: ArraySlice<UInt8>) {
        bytes.removeSubrange(..<start)
        searched -= start
        start = 0
        bytes += received
    }

    /// Returns the next complete line, without its line break; nil if there is none yet.
    mutating func next() throws(TooLong) -> ArraySlice<UInt8>? {
        guard let end = bytes[searched...].firstIndex(of: 0x0a) else {
            searched = bytes.count
            guard searched - start <= Self.longest else { throw TooLong() }
            return nil
        }
        guard end - start <= Self.longest else { throw TooLong() }
        defer {
            start = end + 1
            searched = start
        }
        return bytes[start..<end]
    }
}
