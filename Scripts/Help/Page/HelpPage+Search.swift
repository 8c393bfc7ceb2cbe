import HeybotSupport

extension HelpPage {
    /// The search for commands: each word of the query must be the beginning of a word in the command, ignoring case.
    ///
    /// The page's script implements the same rules, and must find the same commands.
    struct Search {
        /// The keys of the query's words, as bytes: Swift compares strings by canonical equivalence, the browser doesn't.
        ///
        /// A set, so that repeated words cost nothing.
        private let words: Set<[UInt8]>

        /// Creates a search for the words of a query, separated by white space.
        init(_ query: String) {
            let words = String(decoding: query.utf8.prefix(800), as: UTF8.self).unicodeScalars
                .split(whereSeparator: \.properties.isWhitespace)
            self.words = Set(words.map { Array(Self.key(String($0)).utf8) })
        }

        /// Whether the query has no words.
        var isEmpty: Bool { words.isEmpty }

        /// Whether a command matches, by its usage, its purpose or its section's name.
        func finds(_ command: HelpPage.Command, in section: HelpPage.Section) -> Bool {
            finds("\(command.usage) \(command.purpose ?? "") \(section.name)")
        }

        /// Whether a text contains all words.
        func finds(_ text: String) -> Bool {
            if isEmpty { return true }
            let key = Self.key(SafeText.pictured(text))
            // A word that is longer than the text is skipped, to save the comparisons.
            return words.allSatisfy { $0.count <= key.utf8.count && key.utf8.contains($0) }
        }

        /// Returns the case-folded text, with a newline before each beginning of a word.
        ///
        /// So one key contains another exactly where a word begins with it. A character begins a word unless it and the
        /// one before are both letters, marks or digits. In writing systems without case, many of which have no spaces,
        /// each letter begins a word.
        static func key(_ text: String) -> String {
            var key = String.UnicodeScalarView()
            var before: Unicode.Scalar?
            for scalar in folded(text) {
                if !(before.map(isInWord) ?? false) || !isInWord(scalar) { key.append("\n") }
                key.append(scalar)
                before = scalar
            }
            return String(key)
        }

        /// Folds case by mapping to upper case and back: ß becomes ss, and ς becomes σ.
        static func folded(_ text: String) -> String.UnicodeScalarView {
            text.unicodeScalars.reduce(into: String.UnicodeScalarView()) { folded, scalar in
                // Each scalar by itself, as in the page's script: its context must not matter.
                let upper = scalar.properties.uppercaseMapping.unicodeScalars
                for scalar in upper { folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars) }
            }
        }

        /// Whether a scalar continues a word.
        static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .nonspacingMark, .spacingMark,
                .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
                true
            default: false
            }
        }
    }
}
