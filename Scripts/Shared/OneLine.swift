import HeybotSupport

extension String {
    /// Somebody else's words as they can be said: on one line, with nothing that turns or hides what stands around them.
    ///
    /// Line breaks and runs of blanks are one space; control characters, bidirectional overrides and whatever else
    /// can't be seen are left out. What is longer than the limit, or has more than four bytes for each of its
    /// characters, is cut between two characters and ends with `…`.
    ///
    /// - Parameter limit: How many characters it may have, one at least.
    init(oneLine text: some StringProtocol, limit: Int) {
        // A single character may be as long as the text; what can't be seen counts here too.
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
            // What comes after that would be cut off in any case.
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

    /// Whether it shapes what stands beside it, as in emoji and in Persian, and can't be seen itself.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xFE00...0xFE0F: true
        default: false
        }
    }
}
