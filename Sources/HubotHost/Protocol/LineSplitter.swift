/// Cuts a stream of bytes into lines of limited length.
package struct LineSplitter: Sendable {
    /// A line, or the reason why there is none.
    package enum Line: Hashable, Sendable {
        case line([UInt8])
        /// A line that was longer than the limit, and was dropped.
        case tooLong
    }

    private let limit: Int
    private var rest: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: The greatest length of a line, in bytes.
    package init(limit: Int) { self.limit = limit }

    /// The lines that end in these bytes; empty lines are left out.
    package mutating func split(_ bytes: UnsafeRawBufferPointer) -> [Line] {
        var lines: [Line] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            take(bytes[start..<end])
            if isSkipping {
                lines.append(.tooLong)
            } else if !rest.isEmpty {
                lines.append(.line(rest))
            }
            (rest, isSkipping) = ([], false)
            start = bytes.index(after: end)
        }
        take(bytes[start...])
        return lines
    }

    /// What is left when the stream has ended.
    package mutating func finish() -> Line? {
        defer { (rest, isSkipping) = ([], false) }
        return isSkipping ? .tooLong : rest.isEmpty ? nil : .line(rest)
    }

    private mutating func take(_ bytes: some Collection<UInt8>) {
        guard !isSkipping else { return }
        if rest.count + bytes.count > limit {
            (rest, isSkipping) = ([], true)
        } else {
            rest += bytes
        }
    }
}
