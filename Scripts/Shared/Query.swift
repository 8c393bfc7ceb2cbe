import Heybot

/// What somebody wants a service to look for.
struct Query {
    /// On one line.
    let words: String

    /// Takes what was typed.
    ///
    /// - Parameter limit: How many characters it may have.
    /// - Throws: A ``Refusal`` where that is too long, or nothing that can be seen.
    init(_ typed: some StringProtocol, limit: Int = 200) throws(Refusal) {
        words = String(oneLine: typed, limit: limit)
        guard typed.count <= limit else {
            throw Refusal("That's more than I can look for: say it in \(limit) characters at most.")
        }
        // "wiki me" has its "me" here.
        guard !words.isEmpty, words.lowercased() != "me" else { throw Refusal("Tell me what to look for.") }
    }

    /// What is said where a service has nothing about it.
    var nothingFound: Refusal { Refusal("I found nothing for \(String(oneLine: words, limit: 60)).") }
}
