/// Splits long texts.
enum TextSplitter {
    /// Returns the parts of a text, in order.
    ///
    /// The text is split at the end of a line if possible, otherwise between words, otherwise between characters, and within
    /// a character only if a single one is too long. The line break or space at a split is removed. The time is linear in the
    /// length of the text.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of a part in bytes of UTF-8; at least 4, the longest scalar.
    ///   - escapedLimit: The maximum size of a part in a stanza, where `&` is `&amp;`; at least 5.
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

    /// Returns the end of the scalars that fit into one part: at least one.
    private static func window(_ text: Substring, _ limit: Int, _ escapedLimit: Int) -> Substring.Index {
        let bytes = text.utf8
        if bytes.count <= limit, escapedLimit / 5 >= bytes.count { return bytes.endIndex }
        var (end, index) = (bytes.startIndex, bytes.startIndex)
        var (count, escaped) = (0, 0)
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte & 0xc0 != 0x80 { end = index }
            count += 1
            escaped += XMLEscaping.length(ofTextByte: byte)
            if count > limit || escaped > escapedLimit { return end }
            bytes.formIndex(after: &index)
        }
        return bytes.endIndex
    }

    /// Returns where to split the text that fits, and where the rest begins.
    private static func cut(_ text: Substring, _ end: Substring.Index) -> (Substring.Index, next: Substring.Index) {
        // Only the text that fits is examined: the rest may be a single character.
        let room = text[..<end]
        // A space or line break exactly at the end is a good place to split.
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
        // A line is only kept whole if the part is at least half full without the next one.
        let isLong = line.map { room.utf8.distance(from: room.startIndex, to: $0) >= room.utf8.count / 2 } ?? false
        if let space = isLong ? line : word ?? line { return (space, room.index(after: space)) }
        // A character that continues after the end is kept whole, unless it is the only one.
        let isSplit = last > room.startIndex && String(room[last...] + String(scalars[end])).count == 1
        return isSplit ? (last, last) : (end, end)
    }

    /// Returns the position after the space or line break at a position.
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
