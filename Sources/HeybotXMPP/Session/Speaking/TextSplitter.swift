/// Makes of a long text several.
enum TextSplitter {
    /// The parts of a text, in order.
    ///
    /// It is cut at the end of a line, else between words, else between characters, and within a character only if that
    /// alone is too long. The line break or space it is cut at is left out.
    ///
    /// Takes time by the length of the text.
    ///
    /// - Parameters:
    ///   - limit: How many bytes of UTF-8 a part may have; at least 4, the longest scalar.
    ///   - escapedLimit: How many bytes it may have in a stanza, if `&` is `&amp;`; at least 5.
    static func parts(of text: String, limit: Int, escapedLimit: Int = .max) -> [String] {
        var text = text
        text.makeContiguousUTF8()
        var parts: [String] = []
        var rest = text[...]
        while true {
            let end = window(rest, max(limit, 4), max(escapedLimit, 5))
            if end == rest.endIndex { break }
            let (cut, next) = cut(rest, end)
            parts.append(String(rest[..<cut]))
            rest = rest[next...]
        }
        if !rest.isEmpty { parts.append(String(rest)) }
        return parts
    }

    /// The end of the scalars that have room in one part; of the first in any case.
    private static func window(_ text: Substring, _ limit: Int, _ escapedLimit: Int) -> Substring.Index {
        let bytes = text.utf8
        if bytes.count <= limit, escapedLimit / 5 >= bytes.count { return bytes.endIndex }
        var (end, index) = (bytes.startIndex, bytes.startIndex)
        var (count, escaped) = (0, 0)
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte & 0xc0 != 0x80 { end = index }
            count += 1
            escaped += Escaping.length(ofTextByte: byte)
            if count > limit || escaped > escapedLimit { return end }
            bytes.formIndex(after: &index)
        }
        return bytes.endIndex
    }

    /// Where to cut what has room, and where the rest begins.
    private static func cut(_ text: Substring, _ end: Substring.Index) -> (Substring.Index, next: Substring.Index) {
        // Only what has room is looked at: the rest may be a single character.
        let room = text[..<end]
        // Exactly here is a good place, too.
        let scalars = text.unicodeScalars
        if scalars[end] == " " || scalars[end].isNewline { return (end, blank(text, end)) }
        var (line, word): (Substring.Index?, Substring.Index?)
        var (index, last) = (room.startIndex, room.startIndex)
        while index < end {
            last = index
            if index > room.startIndex {
                if room[index].isNewline { line = index } else if room[index] == " " { word = index }
            }
            room.formIndex(after: &index)
        }
        // Lines are only kept together if that doesn't leave half of the room empty.
        let isLong = line.map { room.utf8.distance(from: room.startIndex, to: $0) >= room.utf8.count / 2 } ?? false
        if let space = isLong ? line : word ?? line { return (space, room.index(after: space)) }
        // A character that goes on behind it is kept whole, unless there is nothing else.
        let isCut = last > room.startIndex && String(room[last...] + String(scalars[end])).count == 1
        return isCut ? (last, last) : (end, end)
    }

    /// What follows the space or line break there.
    private static func blank(_ text: Substring, _ start: Substring.Index) -> Substring.Index {
        let scalars = text.unicodeScalars
        let next = scalars.index(after: start)
        let isPair = scalars[start] == "\r" && next < text.endIndex && scalars[next] == "\n"
        return isPair ? scalars.index(after: next) : next
    }
}

extension Unicode.Scalar {
    fileprivate var isNewline: Bool { Character(self).isNewline }
}
