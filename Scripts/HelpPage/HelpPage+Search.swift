import HeybotSupport

extension HelpPage {
    /// What finds commands: all words of the query have to be there, each at the beginning of a word; case doesn't count.
    ///
    /// The page's script has the same rule and has to find the same.
    struct Search {
        /// Keys as bytes: to Swift, letters and accents compare as they look, in the browser they don't.
        ///
        /// Each once, or one word again and again would be much work.
        private let words: Set<[UInt8]>

        /// Takes the words between white space.
        init(_ query: String) {
            let words = String(decoding: query.utf8.prefix(800), as: UTF8.self).unicodeScalars
                .split(whereSeparator: \.properties.isWhitespace)
            self.words = Set(words.map { Array(Self.key(String($0)).utf8) })
        }

        /// Whether there is anything to look for.
        var isEmpty: Bool { words.isEmpty }

        /// Whether the command is found: by its usage, its purpose or its script's name.
        func finds(_ command: HelpPage.Command, in group: HelpPage.Group) -> Bool {
            finds("\(command.usage) \(command.purpose ?? "") \(group.name)")
        }

        /// Whether all words are in a text.
        func finds(_ text: String) -> Bool {
            if isEmpty { return true }
            let key = Self.key(SafeText.pictured(text))
            // A word that is longer isn't looked for: each place of the text would be compared with it.
            return words.allSatisfy { $0.count <= key.utf8.count && key.utf8.contains($0) }
        }

        /// The text without case, and with a newline before whatever begins a word.
        ///
        /// So one key is in another just where a word begins so. A character begins a word unless it and the one before
        /// are both letters, marks or digits; in scripts without case, many of which have no spaces either, each letter
        /// does.
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

        /// Upper case and lower case again: so ß is ss, and ς is σ.
        static func folded(_ text: String) -> String.UnicodeScalarView {
            text.unicodeScalars.reduce(into: String.UnicodeScalarView()) { folded, scalar in
                // Each for itself, as the script does: what stands around must not change it.
                let upper = scalar.properties.uppercaseMapping.unicodeScalars
                for scalar in upper { folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars) }
            }
        }

        /// Whether words go on with it.
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
