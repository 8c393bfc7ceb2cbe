/// Splits the input of a Redis server into commands: arrays of bulk strings (RESP).
///
/// A piece has the command's words in quotes, separated by spaces, such as `"SET" "key" "two words\x0a"`: quotes, backslashes
/// and everything that isn't printable ASCII are written as `\x` and two hexadecimal digits. If the input isn't a command,
/// the last piece says so and doesn't begin with a quote.
public struct RedisCommandFraming: Framing {
    private struct BrokenProtocol: Error {}

    // The limits of Redis.
    private static let mostWords = 1_048_576
    private static let mostBytes = 536_870_912

    private var bytes: [UInt8] = []
    /// The beginning of the unparsed input.
    private var position = 0
    private var words: [[UInt8]] = []
    /// The number of missing words of the command; 0 between two commands.
    private var missing = 0
    /// The length of the next word, if it is known.
    private var length: Int?
    private var isBroken = false

    public let ending = "\r\n"

    /// Creates a framing at the beginning of a connection.
    public init() {}

    public mutating func split(_ more: ArraySlice<UInt8>) -> [String] {
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

    /// Returns the words of a command from its piece; nil if the piece isn't a command.
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

    /// Returns the piece for a command.
    static func piece(_ words: [[UInt8]]) -> String { words.map { quoted($0[...]) }.joined(separator: " ") }

    /// Returns the next command; nil if it is incomplete.
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

    /// Returns the number on the next line, which begins with a marker; nil if the line is incomplete.
    private mutating func number(after mark: UInt8, most: Int) throws(BrokenProtocol) -> Int? {
        let line = bytes[position...].prefix(12)
        guard let first = line.first else { return nil }
        guard first == mark else { throw BrokenProtocol() }
        guard let end = line.firstIndex(of: 0x0a) else {
            if line.count == 12 { throw BrokenProtocol() }
            return nil
        }
        let digits = String(decoding: line[..<end].dropFirst().dropLast(), as: UTF8.self)
        // In canonical form: without a sign or leading zeros.
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
