#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Parses a line: `@tags :source COMMAND middle middle :last`.
///
/// It works on bytes and creates each part's string once, because every line passes through it.
struct MessageParser {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private let line: UnsafeBufferPointer<UInt8>
    private var index = 0

    private init(_ line: UnsafeBufferPointer<UInt8>) {
        self.line = line
    }

    static func message(in line: UnsafeBufferPointer<UInt8>) -> IRCMessage? {
        var end = line.count
        while end > 0, line[end - 1] == .lineFeed || line[end - 1] == .carriageReturn { end -= 1 }
        let content = Bytes(rebasing: line[..<end])
        // The compiler makes vector instructions of these.
        let seen = content.reduce(0 as UInt8) { $0 | $1 }
        let lowest = content.reduce(.max as UInt8) { min($0, $1) }
        if lowest > .carriageReturn || !content.contains(where: \.endsLine) {
            var parser = Self(content)
            return parser.message(isASCII: seen < 0x80)
        }
        // Parsed as the writer would write them, so that messages survive a round trip.
        let cleaned = content.map { $0.endsLine ? .space : $0 }
        return cleaned.withUnsafeBufferPointer {
            var parser = Self($0)
            return parser.message(isASCII: seen < 0x80)
        }
    }

    private mutating func message(isASCII: Bool) -> IRCMessage? {
        skipSpaces()
        var tags: [String: String]?
        if next == .at {
            index += 1
            tags = Tags.read(word())
            skipSpaces()
        }
        func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
            var text = String(decoding: bytes, as: UTF8.self)
            if isASCII { return text }
            // What isn't UTF-8 was replaced. To compare takes less time than `String(validating:as:)`.
            return text.withUTF8 { Self.areSame($0, bytes) } ? text : Windows1252.text(bytes)
        }
        var source: String?
        if next == .colon {
            index += 1
            let name = word()
            if !name.isEmpty { source = text(name) }
            skipSpaces()
        }
        let command = word()
        guard !command.isEmpty, command.allSatisfy({ $0.isLetter || $0.isDigit }) else { return nil }
        var parameters: [String] = []
        // Enough for most messages: growing an array costs more than the space.
        parameters.reserveCapacity(4)
        skipSpaces()
        while let next {
            if next == .colon {
                parameters.append(text(Bytes(rebasing: line[(index + 1)...])))
                break
            }
            parameters.append(text(word()))
            skipSpaces()
        }
        return IRCMessage(tagsIfAny: tags, source: source, String(decoding: command, as: UTF8.self), parameters)
    }

    private static func areSame(_ one: Bytes, _ other: Bytes) -> Bool {
        guard one.count == other.count, let start = one.baseAddress, let otherStart = other.baseAddress else {
            return one.isEmpty && other.isEmpty
        }
        return memcmp(start, otherStart, one.count) == 0
    }

    private var next: UInt8? { index < line.count ? line[index] : nil }

    private mutating func skipSpaces() {
        while index < line.count, line[index] == .space { index += 1 }
    }

    /// Returns the text up to the next space, or the end.
    private mutating func word() -> UnsafeBufferPointer<UInt8> {
        let start = index
        while index < line.count, line[index] != .space { index += 1 }
        return Bytes(rebasing: line[start..<index])
    }
}

/// Windows-1252, which old Western clients send instead of UTF-8: Latin-1 with quotes, dashes and the euro sign in place of the
/// C1 controls.
private enum Windows1252 {
    /// The characters 0x80 to 0x9f; the five unassigned ones are kept as in Latin-1.
    private static let upper: [Unicode.Scalar] = [
        "\u{20ac}", "\u{81}", "\u{201a}", "\u{192}", "\u{201e}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2c6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8d}", "\u{17d}", "\u{8f}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201c}", "\u{201d}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2dc}", "\u{2122}", "\u{161}", "\u{203a}", "\u{153}", "\u{9d}", "\u{17e}", "\u{178}"
    ]

    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.reserveCapacity(bytes.count)
        for byte in bytes {
            scalars.append(byte >= 0x80 && byte < 0xa0 ? upper[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(scalars)
    }
}
