/// Parses and writes message tags, which are between `@` and the first space (IRCv3 message-tags).
enum Tags {
    /// Parses tags.
    ///
    /// The last value of a repeated key counts; tags without a key are dropped.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [String: String] {
        var tags: [String: String] = [:]
        var start = 0
        while start < bytes.count {
            var end = start
            var keyEnd: Int?
            while end < bytes.count, bytes[end] != .semicolon {
                if keyEnd == nil, bytes[end] == .equals { keyEnd = end }
                end += 1
            }
            let key = UnsafeBufferPointer(rebasing: bytes[start..<(keyEnd ?? end)])
            if !key.isEmpty {
                let value = keyEnd.map { unescaped(UnsafeBufferPointer(rebasing: bytes[($0 + 1)..<end])) }
                tags[String(decoding: key, as: UTF8.self)] = value ?? ""
            }
            start = end + 1
        }
        return tags
    }

    /// Writes tags, with `@` before and a space after them, sorted by key; nothing if there are none.
    static func write(_ tags: [String: String], to bytes: inout [UInt8]) {
        if tags.isEmpty { return }
        var known: [String: String] = [:]
        for (key, value) in sorted(tags) {
            let key = key.utf8.filter { !$0.endsLine && $0 != .space && $0 != .semicolon && $0 != .equals }
            if !key.isEmpty { known[String(decoding: key, as: UTF8.self)] = value }
        }
        let start = bytes.count
        for (key, value) in sorted(known) {
            bytes.append(bytes.count == start ? .at : .semicolon)
            bytes += key.utf8
            if value.isEmpty { continue }
            bytes.append(.equals)
            for byte in value.utf8 { writeEscaped(byte, to: &bytes) }
        }
        if bytes.count > start { bytes.append(.space) }
    }

    /// Sorts by bytes, because Swift's string order treats `e\u{301}` and `é_` as neither before nor after each other.
    private static func sorted(_ tags: [String: String]) -> [(key: String, value: String)] {
        tags.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func unescaped(_ value: UnsafeBufferPointer<UInt8>) -> String {
        guard value.contains(.backslash) else { return String(decoding: value, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        var isEscaped = false
        for byte in value {
            if !isEscaped, byte == .backslash {
                isEscaped = true
                continue
            }
            bytes.append(isEscaped ? meaning(of: byte) : byte)
            isEscaped = false
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The meaning of a byte after a backslash: itself, unless defined otherwise.
    private static func meaning(of byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: ":"): .semicolon
        case UInt8(ascii: "s"): .space
        case UInt8(ascii: "r"): .carriageReturn
        case UInt8(ascii: "n"): .lineFeed
        default: byte
        }
    }

    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        let letter: UInt8
        switch byte {
        case .semicolon: letter = UInt8(ascii: ":")
        // There is no escape for NUL.
        case .space, .nul: letter = UInt8(ascii: "s")
        case .carriageReturn: letter = UInt8(ascii: "r")
        case .lineFeed: letter = UInt8(ascii: "n")
        case .backslash: letter = .backslash
        default: return bytes.append(byte)
        }
        bytes.append(.backslash)
        bytes.append(letter)
    }
}
