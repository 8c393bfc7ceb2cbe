import FoundationEssentials
import Heybot

extension Quotes {
    /// What somebody said.
    struct Quote: Codable, Hashable {
        private static let longestName = 60
        private static let longest = 1_000

        /// Who said it.
        let speaker: String
        /// What they said, in one line.
        let words: String
        /// Who had it remembered.
        let addedBy: User.ID
        /// When.
        let date: Date

        /// Reads what somebody typed.
        ///
        /// - Throws: A refusal if it has more than 1,000 characters, or nothing that can be seen.
        init(_ typed: Substring, by name: Substring, addedBy: User.ID, date: Date) throws(Refusal) {
            let words = typed.unquoted
            guard words.utf8.count <= Self.longest * 4, words.count <= Self.longest else {
                throw Refusal("That's too long: a quote has at most 1,000 characters.")
            }
            speaker = Self.name(name)
            self.words = String(oneLine: words, limit: Self.longest).normalized
            self.addedBy = addedBy
            self.date = date
            guard !speaker.isEmpty, !self.words.isEmpty else {
                throw Refusal("Remember what? Try remember ada: hello.")
            }
        }

        /// A name as it is kept, however it was typed: `@ada`, `"ada"`.
        static func name(_ typed: Substring) -> String {
            let name = typed.unquoted
            return String(oneLine: name.first == "@" ? name.dropFirst() : name, limit: longestName).normalized
        }

        /// Whether that one said it.
        func isBy(_ name: String) -> Bool { speaker.lowercased() == name.lowercased() }

        /// Whether it is the same words by the same speaker, in upper or lower case.
        func isSame(as other: Quote) -> Bool {
            isBy(other.speaker) && words.lowercased() == other.words.lowercased()
        }

        /// Whether all of these are in it, or in the name of who said it.
        func has(_ words: [Substring]) -> Bool {
            let text = "\(speaker) \(self.words)".lowercased().normalized
            return words.allSatisfy { text.contains($0) }
        }

        /// How it is said: `“words” (ada, number 12)`.
        func line(number: String, limit: Int = longest) -> String {
            "“\(String(oneLine: words, limit: limit))” (\(speaker), quote \(number))"
        }
    }
}
