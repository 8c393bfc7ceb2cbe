/// The reason why words don't name a time, with a question to ask back.
package enum DateParserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has more than ``DateParser/longest`` bytes.
    case tooLong
    /// The text names no time.
    case notFound
    /// The words look like a time, and are none, such as `friday at 25:00`.
    case misread(words: String)
    /// The words can mean several times.
    case unclear(words: String, question: String)
    /// The time is over.
    case past(words: String)
    /// The calendar doesn't have the day.
    case noSuchDay(words: String)
    /// The time is more than a hundred years away.
    case tooFar(words: String)
    /// The interval is shorter than a minute.
    case tooOften(words: String)
    /// The cron expression is invalid.
    case wrongCron(words: String, CronExpressionError)

    /// The words of the text that it is about; nil if it is about the whole text.
    package var words: String? {
        switch self {
        case .misread(let words), .unclear(let words, _), .past(let words), .noSuchDay(let words),
            .tooFar(let words), .tooOften(let words), .wrongCron(let words, _):
            words
        case .tooLong, .notFound: nil
        }
    }

    /// The words of a time that is meant perhaps: `tomorrow at 9`, if `today at 9` is over.
    package var proposal: String? {
        guard case .past(let words) = self else { return nil }
        let proposal = words.split(separator: " ").map { $0.lowercased() == "today" ? "tomorrow" : String($0) }
            .joined(separator: " ")
        return proposal == words ? nil : proposal
    }

    /// A question for the author of the text, in one line.
    package var description: String {
        switch self {
        case .tooLong: "That's too long. When, in a few words?"
        case .notFound: "When? Say it as in: in 20 minutes, tomorrow at 9:00, or every weekday at 9:30."
        case .misread(let words): "I don't understand the time \"\(words)\". Which time do you mean?"
        case .unclear(_, let question): question
        case .past(let words):
            "\"\(words)\" is over. \(proposal.map { "Do you mean \($0)?" } ?? "Which time do you mean?")"
        case .noSuchDay(let words): "The calendar has no day as in \"\(words)\". Which day do you mean?"
        case .tooFar(let words): "\"\(words)\" is more than a hundred years away. Which time do you mean?"
        case .tooOften(let words): "\"\(words)\" is too often. Every minute is the most; how often do you mean?"
        case .wrongCron(_, let error): error.description
        }
    }
}
