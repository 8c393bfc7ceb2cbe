/// A piece of text that is in every match of a regex, so that most messages can be told apart from a match without it.
///
/// It is read from the pattern's own text, and only where that is plain: nothing in groups, classes or alternatives
/// is looked at. Looking for it is far cheaper than the regex.
struct RequiredText: Hashable, Sendable {
    /// ASCII, letters in lower case.
    let bytes: [UInt8]

    /// The longest there is; nil where none can be read from the pattern.
    init?(_ pattern: String) {
        var reader = Reader(Array(pattern.utf8))
        guard let longest = reader.longestRun(), !longest.isEmpty else { return nil }
        bytes = longest
    }

    /// Whether the text has it, in upper or lower case.
    func isIn(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            guard let first = bytes.first, text.count >= bytes.count else { return false }
            for start in 0...text.count - bytes.count where Self.fold(text[start]) == first {
                if bytes.indices.dropFirst().allSatisfy({ Self.fold(text[start + $0]) == bytes[$0] }) { return true }
            }
            return false
        }
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Goes through a pattern's text.
    private struct Reader {
        private let text: [UInt8]
        private var position = 0
        private var run: [UInt8] = []
        private var longest: [UInt8] = []

        init(_ text: [UInt8]) {
            self.text = text
        }

        /// Nil where the pattern has alternatives, or anything that isn't plain.
        mutating func longestRun() -> [UInt8]? {
            while position < text.count {
                let byte = text[position]
                position += 1
                switch byte {
                case UInt8(ascii: "|"): return nil
                case UInt8(ascii: "\\"):
                    guard readEscape() else { return nil }
                case UInt8(ascii: "("):
                    endRun()
                    guard skipGroup() else { return nil }
                case UInt8(ascii: "["):
                    endRun()
                    guard skipClass() else { return nil }
                case UInt8(ascii: "?"), UInt8(ascii: "*"), UInt8(ascii: "{"):
                    // What stands before it may not be there at all.
                    _ = run.popLast()
                    endRun()
                    if byte == UInt8(ascii: "{") { skip(past: UInt8(ascii: "}")) }
                case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"): endRun()
                default: take(byte)
                }
                // With an accent behind it a character is another one.
                if byte >= 0x80 { run = [] }
            }
            endRun()
            return longest
        }

        private mutating func take(_ byte: UInt8) {
            switch byte {
            // Some characters that aren't ASCII count as these: the Kelvin sign, the long s, the Greek question mark and
            // the Greek varia.
            case UInt8(ascii: "k"), UInt8(ascii: "K"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: ";"),
                UInt8(ascii: "`"):
                endRun()
            case 0x20..<0x7f: run.append(RequiredText.fold(byte))
            default:
                if byte >= 0x80 { _ = run.popLast() }
                endRun()
            }
        }

        private mutating func endRun() {
            if run.count > longest.count { longest = run }
            run = []
        }

        /// After a backslash: a sign that stands for itself, or a class or an anchor; false where it is more than that.
        private mutating func readEscape() -> Bool {
            guard position < text.count else { return false }
            let byte = text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "w"),
                UInt8(ascii: "W"), UInt8(ascii: "s"), UInt8(ascii: "S"):
                endRun()
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                return false
            default: take(byte)
            }
            return true
        }

        /// Goes past a group; false where it changes what the rest means, or has no end.
        private mutating func skipGroup() -> Bool {
            if position + 1 < text.count, text[position] == UInt8(ascii: "?") {
                let kind = text[position + 1]
                // Options such as (?x), which may make of spaces and # something else.
                let isPlain =
                    kind == UInt8(ascii: ":") || kind == UInt8(ascii: "<") || kind == UInt8(ascii: "=")
                    || kind == UInt8(ascii: "!") || kind == UInt8(ascii: ">")
                guard isPlain else { return false }
            }
            while position < text.count {
                let byte = text[position]
                position += 1
                switch byte {
                case UInt8(ascii: ")"): return true
                case UInt8(ascii: "("): if !skipGroup() { return false }
                case UInt8(ascii: "["): if !skipClass() { return false }
                case UInt8(ascii: "\\"):
                    if position < text.count, text[position] == UInt8(ascii: "Q") { return false }
                    position += 1
                default: break
                }
            }
            return false
        }

        /// Goes past a class; false where it has a class inside, or no end.
        private mutating func skipClass() -> Bool {
            var isFirst = true
            while position < text.count {
                let byte = text[position]
                position += 1
                switch byte {
                case UInt8(ascii: "]") where !isFirst: return true
                case UInt8(ascii: "["): return false
                case UInt8(ascii: "\\"): position += 1
                case UInt8(ascii: "^"): continue
                default: break
                }
                isFirst = false
            }
            return false
        }

        private mutating func skip(past end: UInt8) {
            while position < text.count, text[position] != end { position += 1 }
            position += 1
        }
    }
}
