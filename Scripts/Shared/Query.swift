import Heybot

/// What somebody wants a service to look for.
struct Query: Sendable {
    /// On one line.
    let words: String

    /// Takes what was typed.
    ///
    /// - Parameter limit: How many characters it may have.
    /// - Throws: A ``Refusal`` if that is too long, or nothing that can be seen.
    init(_ typed: some StringProtocol, limit: Int = 200) throws(Refusal) {
        guard typed.utf8.count <= limit * 4, typed.count <= limit else {
            throw Refusal("That's too long to look for: use at most \(limit) characters.")
        }
        words = String(oneLine: typed, limit: limit)
        // "wiki me" has its "me" here.
        guard !words.isEmpty, words.lowercased() != "me" else { throw Refusal("What should I look for?") }
    }

    /// What is said if a service has nothing about it.
    var nothingFound: Refusal { Refusal("I found nothing for \(String(oneLine: words, limit: 60)).") }
}
