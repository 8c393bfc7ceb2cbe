/// Makes of a long text several.
enum TextSplitter {
    /// The parts of a text, each of at most so many bytes: cut at the end of a line, else between words, and never inside
    /// a character, however long that is.
    static func parts(of text: String, limit: Int) -> [String] {
        var parts: [String] = []
        var rest = text[...]
        while rest.utf8.count > limit {
            let cut = cut(rest, limit)
            parts.append(String(rest[..<cut]))
            rest = rest[cut...]
            // The blank or line break that it was cut at.
            if rest.first == " " || rest.first?.isNewline == true { rest = rest.dropFirst() }
        }
        if !rest.isEmpty { parts.append(String(rest)) }
        return parts
    }

    private static func cut(_ text: Substring, _ limit: Int) -> Substring.Index {
        var (end, count) = (text.startIndex, 0)
        var (line, word): (Substring.Index?, Substring.Index?)
        while end < text.endIndex {
            let next = text.index(after: end)
            count += text[end..<next].utf8.count
            if count > limit, end > text.startIndex { break }
            if end > text.startIndex {
                if text[end].isNewline { line = end } else if text[end] == " " { word = end }
            }
            end = next
        }
        // Lines are only kept together where that doesn't leave half of the room empty.
        if let line, text[..<line].utf8.count >= limit / 2 { return line }
        return word ?? line ?? end
    }
}
