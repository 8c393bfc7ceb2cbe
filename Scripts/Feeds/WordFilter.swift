import FoundationEssentials
import Heybot

extension Feeds {
    /// Chooses items by the words in their titles and summaries.
    struct WordFilter: Codable, Hashable, Sendable {
        private static let most = 10
        private static let longest = 60

        /// The phrases of which an item has to contain one; empty if it needn't.
        private let wanted: [String]
        /// The phrases of which an item may contain none.
        private let unwanted: [String]

        /// Creates a filter that chooses all items.
        init() { (wanted, unwanted) = ([], []) }

        /// Parses lists of phrases, separated by commas.
        ///
        /// - Throws: A ``Refusal`` if a list is empty or too long.
        init(wanted: String?, unwanted: String?) throws(Refusal) {
            self.wanted = try Self.phrases(wanted)
            self.unwanted = try Self.phrases(unwanted)
        }

        /// Whether an item with these texts is chosen.
        func accepts(_ texts: @autoclosure () -> [String]) -> Bool {
            if wanted.isEmpty && unwanted.isEmpty { return true }
            let words = " \(texts().map(Self.words).joined(separator: " ")) "
            let isWanted = wanted.isEmpty || wanted.contains { words.contains(" \(Self.words($0)) ") }
            return isWanted && !unwanted.contains { words.contains(" \(Self.words($0)) ") }
        }

        /// The filter in words, such as `with swift, linux` and `without ads`.
        var description: [String] {
            let parts = [("with", wanted), ("without", unwanted)]
            return parts.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
        }

        private static func phrases(_ typed: String?) throws(Refusal) -> [String] {
            guard let typed else { return [] }
            let phrases = typed.split(separator: ",").map { String(oneLine: $0.unquoted, limit: longest).lowercased() }
            let distinct = phrases.reduce(into: [String]()) { known, phrase in
                if !words(phrase).isEmpty, !known.contains(phrase) { known.append(phrase) }
            }
            guard 1...most ~= distinct.count else {
                throw Refusal("Name 1 to \(most) words after \"with\" or \"without\", separated by commas.")
            }
            return distinct
        }

        /// Returns the words of a text in lower case, with a space between them, as they are compared.
        private static func words(_ text: String) -> String {
            let words = text.lowercased().normalized.split { !$0.isLetter && !$0.isNumber && $0 != "+" && $0 != "#" }
            return words.joined(separator: " ")
        }
    }
}
