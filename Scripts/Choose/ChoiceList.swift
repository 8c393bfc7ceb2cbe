import Heybot

extension Choose {
    /// The choices that a user typed: `tea, coffee or "milk, warm"`.
    struct ChoiceList {
        private static let most = 50
        private static let longest = 100

        /// The choices without duplicates, in the order typed.
        let all: [String]

        /// Parses choices separated by commas and `or`, and also by `and` if they were introduced by `between`.
        ///
        /// - Throws: A refusal if there are more than 50.
        init(_ typed: Substring, hasAnd: Bool) throws(Refusal) {
            let refusal = Refusal("I can choose from at most \(Self.most) options.")
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
            // Quoted text is matched first, so that separators in it don't count.
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
