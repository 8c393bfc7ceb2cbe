import CHiredis
import Heybot

/// A command: its name and its arguments, as bytes.
package struct RedisCommand: Sendable {
    /// The maximum length in bytes: two of the longest values, and names.
    static let longest = 2 * BrainLimits.valueBytes + (4 << 20)

    let words: [[UInt8]]

    /// Creates a command.
    package init(_ name: String, _ arguments: [[UInt8]] = []) {
        words = [Array(name.utf8)] + arguments
    }

    /// Creates a command.
    package init(_ name: String, _ arguments: String...) {
        self.init(name, arguments.map { Array($0.utf8) })
    }

    /// Returns the encoded command; nil if it exceeds ``longest``.
    func encoded() -> [UInt8]? {
        guard words.reduce(0, { $0 + $1.count }) <= Self.longest else { return nil }
        var pointers: [UnsafePointer<CChar>?] = []
        pointers.reserveCapacity(words.count)
        return format(words[...], &pointers)
    }

    /// Collects a pointer to each word, valid until the function returns, and lets hiredis format the command.
    private func format(_ rest: ArraySlice<[UInt8]>, _ pointers: inout [UnsafePointer<CChar>?]) -> [UInt8]? {
        if let word = rest.first {
            return word.withUnsafeBytes { bytes in
                // An empty array may have no address, but hiredis requires one.
                guard let start = bytes.baseAddress else {
                    return withUnsafeBytes(of: UInt8(0)) { format(rest.dropFirst(), adding: $0.baseAddress, &pointers) }
                }
                return format(rest.dropFirst(), adding: start, &pointers)
            }
        }
        let lengths = words.map(\.count)
        var text: UnsafeMutablePointer<CChar>?
        let count = redisFormatCommandArgv(&text, Int32(words.count), &pointers, lengths)
        guard let text, count >= 0 else { return nil }
        defer { redisFreeCommand(text) }
        return Array(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }

    private func format(
        _ rest: ArraySlice<[UInt8]>, adding start: UnsafeRawPointer?, _ pointers: inout [UnsafePointer<CChar>?]
    ) -> [UInt8]? {
        pointers.append(start?.assumingMemoryBound(to: CChar.self))
        return format(rest, &pointers)
    }
}
