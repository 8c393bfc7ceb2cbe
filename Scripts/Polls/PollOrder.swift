import FoundationEssentials
import Heybot
import HeybotDates

extension Polls {
    /// A poll as a user writes it: `lunch until 12:30: pizza, curry`, or `shall we go out?`.
    struct PollOrder {
        /// In bytes.
        private static let longest = 4_000
        private static let longestQuestion = 200

        let question: String
        let choices: [String]
        let isSecret: Bool
        /// When it ends; nil if the text doesn't say.
        let end: Date?

        /// Parses a text.
        ///
        /// The end is at the end of the choices or of the question, as in `until friday 12:00` or `for 20 minutes`.
        ///
        /// - Throws: A ``Refusal`` that says what is expected, or asks what a time means.
        init(_ typed: Substring, isSecret: Bool, in zone: IANATimeZone, at date: Date) throws(Refusal) {
            guard typed.utf8.count <= Self.longest else { throw Refusal("That's too long for a poll.") }
            var (subject, list) = try Self.parts(of: typed)
            let clock = EndParser(parser: DateParser(zone: zone.rules), now: date.wholeSeconds)
            var end: Int?
            if let typed = list, let found = try clock.end(of: typed) {
                list = found.rest
                end = found.time
            }
            if end == nil, list != nil, let found = try clock.end(of: subject) {
                subject = found.rest
                end = found.time
            }
            question = String(oneLine: subject.unquoted, limit: Self.longestQuestion)
            guard !question.isEmpty else { throw Self.expected }
            if let list {
                choices = try Choose.ChoiceList(list, hasAnd: false).all
            } else {
                choices = ["yes", "no"]
            }
            guard Poll.choiceCounts ~= choices.count else {
                let most = Poll.choiceCounts.upperBound
                throw Refusal("A poll has 2 to \(most) choices, as in: poll lunch: pizza, curry")
            }
            self.isSecret = isSecret
            self.end = end.map { Date(timeIntervalSince1970: Double($0)) }
        }

        /// Splits a text at the colon before the choices; a question alone can be answered with yes or no.
        private static func parts(of typed: Substring) throws(Refusal) -> (subject: Substring, choices: Substring?) {
            // Not the colon in 12:30.
            let colon = typed.firstRange(of: ": ") ?? typed.firstRange(of: ":")
            if let colon { return (typed[..<colon.lowerBound], typed[colon.upperBound...]) }
            guard typed.last == "?" else { throw expected }
            return (typed, nil)
        }

        private static let expected = Refusal(
            "Write the choices after a colon, as in: poll lunch until 12:30: pizza, curry")
    }

    /// Finds the time at the end of a text.
    private struct EndParser {
        let parser: DateParser
        let now: Int

        /// Returns the time and the text before it; nil if the text doesn't end with one.
        func end(of text: Substring) throws(Refusal) -> (rest: Substring, time: Int)? {
            if let word = text.ranges(of: /[\s,](?:until|till)\s/.ignoresCase()).last,
                let found = try readTime(String(text[word.upperBound...]))
            {
                return (Self.trimmed(text[..<word.lowerBound]), found)
            }
            guard let word = text.ranges(of: /[\s,]for\s/.ignoresCase()).last,
                let reading = try? parser.parse("in \(text[word.upperBound...])", now: now),
                case .once(let time) = reading.meaning
            else { return nil }
            return (Self.trimmed(text[..<word.lowerBound]), time)
        }

        /// Returns a text without the blanks and commas at its end.
        private static func trimmed(_ text: Substring) -> Substring {
            var text = text
            while let last = text.last, last.isWhitespace || last == "," { text.removeLast() }
            return text
        }

        /// Parses a time; nil if the words mean something else.
        private func readTime(_ words: String) throws(Refusal) -> Int? {
            do throws(DateParserError) {
                guard case .once(let time) = try parser.parse(words, now: now).meaning else { return nil }
                return time
            } catch {
                if error == .notFound || error == .tooLong { return nil }
                throw Refusal(error.description)
            }
        }
    }
}
