/// Cuts text into lines that fit.
package enum LineSplitter {
    /// Lines of at most that many bytes of UTF-8, in order; joined again, they have all the words.
    ///
    /// First it is cut at line breaks: CR, LF, and the others a server or a client might take for one (VT, FF, NEL, U+2028,
    /// U+2029). Lines without anything but spaces are left out, NULs too. What is still too long is cut at spaces, which go
    /// away there; a word alone too long, between characters as people see them; only one such character alone too long,
    /// within.
    /// - Parameter limit: At least 4, the longest scalar: what is less counts as 4.
    package static func lines(of text: String, limit: Int) -> [String] {
        var text = text.utf8.contains(.nul) ? String(text.unicodeScalars.filter { $0 != "\0" }) : text
        text.makeContiguousUTF8()
        var pieces: [String] = []
        for line in text.unicodeScalars.split(whereSeparator: isBreak) {
            var cutter = Cutter(Substring(line), limit: max(limit, 4))
            pieces += cutter.pieces()
        }
        return pieces
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}

/// Cuts one line, going through it once, however long its words and characters are.
private struct Cutter {
    private let line: Substring
    private let limit: Int
    private var done: [String] = []
    /// Where the piece begins that is being made.
    private var start: String.Index
    /// The last spaces in that piece.
    private var gap: Range<String.Index>?

    init(_ line: Substring, limit: Int) {
        self.line = line
        self.limit = limit
        start = line.startIndex
    }

    mutating func pieces() -> [String] {
        var index = line.startIndex
        // Most lines fit, and need not be gone through.
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

    /// Ends the piece before that character, or at a space before it.
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
