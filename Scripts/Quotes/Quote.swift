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
        /// - Throws: A refusal where it has more than 1,000 characters, or nothing that can be seen.
        init(_ typed: Substring, by name: Substring, addedBy: User.ID, date: Date) throws(Refusal) {
            let words = typed.unquoted
            guard words.prefix(Self.longest + 1).count <= Self.longest else {
                throw Refusal("That is too long to remember: a quote has 1,000 characters at most.")
            }
            speaker = Self.name(name)
            self.words = String(oneLine: words, limit: Self.longest)
            self.addedBy = addedBy
            self.date = date
            guard !speaker.isEmpty, !self.words.isEmpty else {
                throw Refusal("Remember what? Say remember ada: hello.")
            }
        }

        /// A name as it is kept, however it was typed: `@ada`, `"ada"`.
        static func name(_ typed: Substring) -> String {
            let name = typed.unquoted
            return String(oneLine: name.first == "@" ? name.dropFirst() : name, limit: longestName)
        }

        /// Whether that one said it.
        func isBy(_ name: String) -> Bool { speaker.lowercased() == name.lowercased() }

        /// Whether all of these are in it, or in the name of who said it.
        func has(_ words: [Substring]) -> Bool {
            let text = "\(speaker) \(self.words)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }

        /// How it is said: `“words” (ada, number 12)`.
        func line(number: String, limit: Int = longest) -> String {
            "“\(String(oneLine: words, limit: limit))” (\(speaker), number \(number))"
        }
    }
}
