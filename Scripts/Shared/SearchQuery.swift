import Heybot

/// A user's query to a service.
struct SearchQuery: Sendable {
    /// The query on one line.
    let words: String

    /// Creates a query from a command.
    ///
    /// - Parameter limit: The maximum number of characters.
    /// - Throws: A ``Refusal`` if the query is too long, or has no visible characters.
    init(_ typed: some StringProtocol, limit: Int = 200) throws(Refusal) {
        guard typed.utf8.count <= limit * 4, typed.count <= limit else {
            throw Refusal("That's too long to look for: use at most \(limit) characters.")
        }
        words = String(oneLine: typed, limit: limit)
        // In "wiki me" without a query, the "me" arrives here.
        guard !words.isEmpty, words.lowercased() != "me" else { throw Refusal("What should I look for?") }
    }

    /// The refusal if nothing was found.
    var nothingFound: Refusal { Refusal("I found nothing for \(String(oneLine: words, limit: 60)).") }
}
