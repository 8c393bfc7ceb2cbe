/// The commands that a Redis client sends, each whole: arrays of bulk strings (RESP), however they come.
///
/// A piece has the command's words in quotes with spaces between, such as `"SET" "key" "two words\x0a"`: what isn't
/// printable ASCII, and quotes and backslashes, is `\x` and two hexadecimal digits. If what comes is no command, the
/// last piece says so, and doesn't begin with a quote.
public struct RedisCommands: Framing {
    private struct BrokenProtocol: Error {}

    // As much as Redis takes.
    private static let mostWords = 1_048_576
    private static let mostBytes = 536_870_912

    private var bytes: [UInt8] = []
    /// Where in them what wasn't understood yet begins.
    private var position = 0
    private var words: [[UInt8]] = []
    /// How many words of the command are missing; 0 between two commands.
    private var missing = 0
    /// How long the next word is, if that is known.
    private var length: Int?
    private var isBroken = false

    public let ending = "\r\n"

    /// Commands from the beginning of a connection.
    public init() {}

    public mutating func cut(_ more: ArraySlice<UInt8>) -> [String] {
        guard !isBroken else { return [] }
        bytes += more
        var pieces: [String] = []
        do {
            while let command = try command() { pieces.append(Self.piece(command)) }
        } catch {
            isBroken = true
            pieces.append("no Redis command: \(Self.quoted(bytes[position...].prefix(64)))")
        }
        bytes.removeFirst(position)
        position = 0
        return pieces
    }

    /// The words of a command that ``cut(_:)`` made a piece of; nil if it's none.
    public static func words(of piece: String) -> [[UInt8]]? {
        guard piece.hasPrefix("\"") else { return nil }
        var words: [[UInt8]] = []
        var rest = Array(piece.utf8)[...]
        while rest.popFirst() == UInt8(ascii: "\"") {
            var word: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                guard byte == UInt8(ascii: "\\") else {
                    word.append(byte)
                    continue
                }
                let digits = rest.dropFirst().prefix(2)
                guard let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
                word.append(value)
                rest = rest.dropFirst(3)
            }
            words.append(word)
            // The space.
            rest = rest.dropFirst()
        }
        return words
    }

    /// A command as a piece.
    static func piece(_ words: [[UInt8]]) -> String { words.map { quoted($0[...]) }.joined(separator: " ") }

    /// The next command; nil if it isn't whole yet.
    private mutating func command() throws(BrokenProtocol) -> [[UInt8]]? {
        if missing == 0 {
            guard let count = try number(after: UInt8(ascii: "*"), most: Self.mostWords) else { return nil }
            guard count > 0 else { throw BrokenProtocol() }
            missing = count
        }
        while missing > 0 {
            if length == nil { length = try number(after: UInt8(ascii: "$"), most: Self.mostBytes) }
            guard let length, bytes.count - position >= length + 2 else { return nil }
            let end = position + length
            guard bytes[end] == 0x0d, bytes[end + 1] == 0x0a else { throw BrokenProtocol() }
            words.append(Array(bytes[position..<end]))
            position = end + 2
            self.length = nil
            missing -= 1
        }
        defer { words = [] }
        return words
    }

    /// The number on the next line, which begins with a mark; nil if the line isn't whole yet.
    private mutating func number(after mark: UInt8, most: Int) throws(BrokenProtocol) -> Int? {
        let line = bytes[position...].prefix(12)
        guard let first = line.first else { return nil }
        guard first == mark else { throw BrokenProtocol() }
        guard let end = line.firstIndex(of: 0x0a) else {
            if line.count == 12 { throw BrokenProtocol() }
            return nil
        }
        let digits = String(decoding: line[..<end].dropFirst().dropLast(), as: UTF8.self)
        // As it's written by everybody: without a sign or zeros before it.
        guard bytes[end - 1] == 0x0d, let number = Int(digits), "\(number)" == digits, (0...most).contains(number)
        else { throw BrokenProtocol() }
        position = end + 1
        return number
    }

    private static func quoted(_ word: ArraySlice<UInt8>) -> String {
        let hexadecimal = Array("0123456789abcdef".utf8)
        var text = [UInt8(ascii: "\"")]
        for byte in word {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), ..<0x20, 0x7f...:
                text += [
                    UInt8(ascii: "\\"), UInt8(ascii: "x"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]
                ]
            default: text.append(byte)
            }
        }
        return String(decoding: text + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
