import HeybotSupport

extension String {
    /// Makes a foreign text safe for chat: on one line, without characters that affect how the surrounding text is displayed.
    ///
    /// Line breaks and runs of blanks become one space; control characters, bidirectional overrides and other invisible
    /// characters are dropped. A text that is longer than the limit, or has more than four bytes per character of the limit, is
    /// cut between two characters and ends with `…`.
    ///
    /// - Parameter limit: The maximum number of characters, at least one.
    init(oneLine text: some StringProtocol, limit: Int) {
        // A single character may be as long as the whole text. Invisible scalars count here too.
        let mostScalars = Swift.max(limit * 16, 1_000)
        let isCut = text.utf8.count > mostScalars && !text.unicodeScalars.dropFirst(mostScalars).isEmpty
        let text = isCut ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(mostScalars))) : String(text)
        let mostBytes = limit * 4
        var pieces: [String] = []
        var bytes = 0
        var isAfterSpace = false
        for character in text {
            if character.isWhitespace {
                isAfterSpace = !pieces.isEmpty
                continue
            }
            let scalars = character.unicodeScalars.filter { SafeText.kind(of: $0) == .visible }
            guard scalars.contains(where: { !Self.isJoiner($0) }) else { continue }
            let piece = String(String.UnicodeScalarView(scalars))
            for piece in isAfterSpace ? [" ", piece] : [piece] {
                pieces.append(piece)
                bytes += piece.utf8.count
            }
            isAfterSpace = false
            // The rest would be cut off in any case.
            if pieces.count > limit || bytes > mostBytes { break }
        }
        guard pieces.count > limit || bytes > mostBytes || isCut else {
            self = pieces.joined()
            return
        }
        let end = "…"
        while let last = pieces.last, pieces.count >= limit || last == " " || bytes + end.utf8.count > mostBytes {
            bytes -= pieces.removeLast().utf8.count
        }
        self = pieces.joined() + end
    }

    /// Whether a scalar is invisible but joins its neighbors, as in emoji and in Persian.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xFE00...0xFE0F: true
        default: false
        }
    }
}
