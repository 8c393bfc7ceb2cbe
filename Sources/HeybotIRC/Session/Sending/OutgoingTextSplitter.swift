/// Splits text into lines of limited length.
package enum OutgoingTextSplitter {
    /// Returns lines of at most `limit` bytes of UTF-8, in order, with all words of the text.
    ///
    /// The text is split at line breaks: CR, LF, and others that a server or client might treat as one (VT, FF, NEL, U+2028,
    /// U+2029). Blank lines and NULs are dropped. A line that is too long is split at spaces, which are dropped there; a word
    /// that is too long, between characters; a character that is too long, between Unicode scalars.
    /// - Parameter limit: At least 4, the length of the longest scalar; lower values count as 4.
    package static func lines(of text: String, limit: Int) -> [String] {
        if isShortLine(text, limit) { return [text] }
        var text = text.utf8.contains(.nul) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
        text.makeContiguousUTF8()
        var pieces: [String] = []
        for line in text.unicodeScalars.split(whereSeparator: isBreak) {
            var cutter = LineCutter(Substring(line), limit: max(limit, 4))
            pieces += cutter.pieces()
        }
        return pieces
    }

    /// Whether the text is plainly one line that fits, as most answers are.
    private static func isShortLine(_ text: String, _ limit: Int) -> Bool {
        guard let first = text.utf8.first, first != .space, text.utf8.count <= limit else { return false }
        return text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}

/// Splits one line in a single pass, however long its words and characters are.
private struct LineCutter {
    private let line: Substring
    private let limit: Int
    private var done: [String] = []
    /// Where the current piece begins.
    private var start: String.Index
    /// The last spaces in the current piece.
    private var gap: Range<String.Index>?

    init(_ line: Substring, limit: Int) {
        self.line = line
        self.limit = limit
        start = line.startIndex
    }

    mutating func pieces() -> [String] {
        var index = line.startIndex
        // Most lines fit and needn't be scanned.
        while !fits(line.endIndex), index < line.endIndex {
            let next = line.index(after: index)
            if Self.isSpace(line[index]) {
                gap = (gap.flatMap { $0.upperBound == index ? $0.lowerBound : nil } ?? index)..<next
            }
            if !fits(next) { cut(index..<next) }
            index = max(next, start)
        }
        finish(line.endIndex)
        return done
    }

    /// Ends the current piece before a character, or at the last space before it.
    private mutating func cut(_ character: Range<String.Index>) {
        if let gap {
            finish(gap.lowerBound)
            start = gap.upperBound
            while start < line.endIndex, Self.isSpace(line[start]) { line.formIndex(after: &start) }
            self.gap = nil
            if fits(character.upperBound) { return }
        }
        finish(character.lowerBound)
        while !fits(character.upperBound) {
            var end = line.utf8.index(start, offsetBy: limit)
            while line.utf8[end] & 0xc0 == 0x80 { line.utf8.formIndex(before: &end) }
            finish(end)
        }
    }

    private mutating func finish(_ end: String.Index) {
        let piece = line[start..<end]
        if !piece.allSatisfy(Self.isSpace) { done.append(String(piece)) }
        start = end
    }

    private func fits(_ end: String.Index) -> Bool {
        line.utf8.distance(from: start, to: end) <= limit
    }

    private static func isSpace(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\u{3000}"
    }
}
