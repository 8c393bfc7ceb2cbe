import Heybot

extension Choose {
    /// What there is to choose from, as somebody typed it: `tea, coffee or "milk, warm"`.
    struct Choices {
        private static let most = 50
        private static let longest = 100

        /// Each once, in the order typed.
        let all: [String]

        /// Reads them: commas and `or` stand between them, and `and` too if they were introduced by `between`.
        ///
        /// - Throws: A refusal if there are more than 50.
        init(_ typed: Substring, hasAnd: Bool) throws(Refusal) {
            let refusal = Refusal("I can choose from at most \(Self.most).")
            guard typed.utf8.count <= Self.most * Self.longest * 4 else { throw refusal }
            var known: Set<String> = []
            var all: [String] = []
            for piece in Self.pieces(typed.last == "?" ? typed.dropLast() : typed, hasAnd: hasAnd) {
                let choice = String(oneLine: piece.unquoted, limit: Self.longest)
                if !choice.isEmpty, known.insert(choice.lowercased()).inserted { all.append(choice) }
            }
            guard all.count <= Self.most else { throw refusal }
            self.all = all
        }

        private static func pieces(_ typed: Substring, hasAnd: Bool) -> [Substring] {
            // What stands in quotes is found first, so that nothing in it separates.
            let separator = /"[^"]*"|“[^“”]*”|,|\s(?<word>or|and)(?=\s)/.ignoresCase()
            var pieces: [Substring] = []
            var start = typed.startIndex
            for match in typed.matches(of: separator) {
                let isSeparator = match.word.map { hasAnd || $0.lowercased() == "or" } ?? (match.output.0 == ",")
                guard isSeparator else { continue }
                pieces.append(typed[start..<match.range.lowerBound])
                start = match.range.upperBound
            }
            return pieces + [typed[start...]]
        }
    }
}
