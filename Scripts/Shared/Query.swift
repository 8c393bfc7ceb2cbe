import Heybot

/// What somebody wants a service to look for.
struct Query {
    /// How many characters it may have.
    private static let limit = 200

    /// On one line.
    let words: String

    /// Takes what was typed.
    ///
    /// - Throws: A ``Refusal`` where that is too long, or nothing that can be seen.
    init(_ typed: some StringProtocol) throws(Refusal) {
        words = String(oneLine: typed, limit: Self.limit)
        guard typed.count <= Self.limit else {
            throw Refusal("That's more than I can look for: say it in \(Self.limit) characters at most.")
        }
        guard !words.isEmpty else { throw Refusal("Tell me what to look for.") }
    }

    /// What is said where a service has nothing about it.
    var nothingFound: Refusal { Refusal("I found nothing for \(String(oneLine: words, limit: 60)).") }
}
