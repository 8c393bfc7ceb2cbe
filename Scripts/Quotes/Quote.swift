import FoundationEssentials
import Heybot

extension Quotes {
    /// A quote.
    struct Quote: Codable, Hashable {
        private static let longestName = 60
        private static let longest = 1_000

        /// The person who said it.
        let speaker: String
        /// The words, in one line.
        let words: String
        /// The user who added the quote.
        let addedBy: User.ID
        /// The time at which it was added.
        let date: Date

        /// Creates a quote from a command.
        ///
        /// - Throws: A refusal if it has more than 1,000 characters, or no visible ones.
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
                throw Refusal("Remember what? For example, say \"remember ada: hello\".")
            }
        }

        /// Normalizes a name as it was typed, such as `@ada` or `"ada"`.
        static func name(_ typed: Substring) -> String {
            let name = typed.unquoted
            return String(oneLine: name.first == "@" ? name.dropFirst() : name, limit: longestName).normalized
        }

        /// Whether a person said it.
        func isBy(_ name: String) -> Bool { speaker.lowercased() == name.lowercased() }

        /// Whether both have the same words and speaker, ignoring case.
        func isSame(as other: Quote) -> Bool {
            isBy(other.speaker) && words.lowercased() == other.words.lowercased()
        }

        /// Whether the quote or the speaker's name contains all of these words.
        func has(_ words: [Substring]) -> Bool {
            let text = "\(speaker) \(self.words)".lowercased().normalized
            return words.allSatisfy { text.contains($0) }
        }

        /// Formats the quote: `“words” (ada, quote 12)`.
        func line(number: String, limit: Int = longest) -> String {
            "“\(String(oneLine: words, limit: limit))” (\(speaker), quote \(number))"
        }
    }
}
