import FoundationEssentials
import Heybot
import HeybotDates

extension Polls {
    /// A poll as a user writes it: `lunch until 12:30: pizza, curry`, `lunch? pizza or curry`, or `shall we go out?`.
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
                // "Shall we go out? until 12:30" has no choices.
                list = found.rest.isEmpty ? nil : found.rest
                end = found.time
            }
            // What ends with a question mark is the question itself.
            if end == nil, list != nil, subject.last != "?", let found = try clock.end(of: subject) {
                subject = found.rest
                end = found.time
            }
            question = String(oneLine: subject.unquoted, limit: Self.longestQuestion)
            guard !question.isEmpty else { throw Self.expected }
            if let list {
                choices = try Self.choices(in: list)
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

        /// Splits a text before the choices: at a colon, after a question in quotes, or after a question mark.
        ///
        /// A question alone can be answered with yes or no.
        private static func parts(of typed: Substring) throws(Refusal) -> (subject: Substring, choices: Substring?) {
            // Quoted text is matched first, so that separators in it don't count.
            let marks = typed.matches(of: /"[^"]*"|“[^“”]*”|: |:|\?\s+/).map { (text: $0.output, range: $0.range) }
            if let colon = marks.first(where: { $0.text == ": " })?.range {
                return (typed[..<colon.lowerBound], typed[colon.upperBound...])
            }
            if let first = marks.first, first.range.lowerBound == typed.startIndex, Self.endsWithQuote(first.text) {
                var rest = typed[first.range.upperBound...].drop { $0.isWhitespace }
                if rest.first == ":" { rest = rest.dropFirst() }
                if !rest.isEmpty { return (first.text, rest) }
            }
            if let mark = marks.first(where: { $0.text.first == "?" })?.range {
                // With the blank, which an end begins with.
                return (typed[...mark.lowerBound], typed[mark.lowerBound...].dropFirst())
            }
            if let colon = marks.first(where: { $0.text == ":" && !isInTime($0.range, typed) })?.range {
                return (typed[..<colon.lowerBound], typed[colon.upperBound...])
            }
            guard typed.unquoted.last == "?" else { throw expected }
            return (typed, nil)
        }

        /// Whether a colon is between digits, as in 12:30.
        private static func isInTime(_ colon: Range<Substring.Index>, _ text: Substring) -> Bool {
            text[..<colon.lowerBound].last?.isNumber == true && text[colon.upperBound...].first?.isNumber == true
        }

        /// Whether a text ends with a quotation mark.
        fileprivate static func endsWithQuote(_ text: Substring) -> Bool {
            text.last.map { "\"”".contains($0) } ?? false
        }

        /// Returns the choices in a list with commas or `or`, or of texts in quotes, as in `"pizza" "curry"`.
        private static func choices(in typed: Substring) throws(Refusal) -> [String] {
            var list = typed
            if typed.wholeMatch(of: /\s*(?:(?:"[^"]+"|“[^“”]+”)\s*){2,}/) != nil {
                list = Substring(typed.matches(of: /"[^"]+"|“[^“”]+”/).map { $0.output }.joined(separator: ","))
            }
            var all = try Choose.ChoiceList(list, hasAnd: false).all
            // The list leaves out the question mark at its end, which in "Swift?, Rust?" belongs to the last choice.
            if list.last == "?", all.dropLast().contains(where: { $0.last == "?" }), let last = all.popLast() {
                all.append("\(last)?")
            }
            return all
        }

        private static let expected = Refusal("Write the choices after a colon, as in: \(example)")
        fileprivate static let example = "poll lunch until 12:30: pizza, curry"
    }

    /// Finds the time at the end of a text.
    private struct EndParser {
        let parser: DateParser
        let now: Int

        /// Returns the time and the text before it; nil if the text doesn't end with one.
        func end(of text: Substring) throws(Refusal) -> (rest: Substring, time: Int)? {
            // What is in quotes is no time.
            if PollOrder.endsWithQuote(text) { return nil }
            if let word = text.ranges(of: /[\s,](?:until|till)\s/.ignoresCase()).last,
                let found = try readTime(String(text[word.upperBound...]))
            {
                return (Self.trimmed(text[..<word.lowerBound]), found)
            }
            guard let word = text.ranges(of: /[\s,]for\s/.ignoresCase()).last,
                let time = try readLength(text[word.upperBound...])
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
                guard time > now else { throw .past(words: String(oneLine: words, limit: 60)) }
                return time
            } catch {
                if error == .notFound || error == .tooLong { return nil }
                throw Self.refusal(for: error)
            }
        }

        /// Parses a length of time, and returns its end; nil if the words mean something else.
        private func readLength(_ words: Substring) throws(Refusal) -> Int? {
            do throws(DateParserError) {
                guard case .once(let time) = try parser.parse("in \(words)", now: now).meaning else { return nil }
                return time
            } catch {
                switch error {
                case .misread, .tooFar: throw Self.refusal(for: error)
                // "For march" is part of the question.
                default: return nil
                }
            }
        }

        private static func refusal(for error: DateParserError) -> Refusal {
            let example = PollOrder.example
            switch error {
            case .past(let words): return Refusal("\"\(words)\" is over. Name a time to come, as in: \(example)")
            case .misread(let words):
                return Refusal("I don't understand the time \"\(words)\". Say it as in: \(example)")
            default: return Refusal("\(error.description) Please say the whole poll again.")
            }
        }
    }
}
