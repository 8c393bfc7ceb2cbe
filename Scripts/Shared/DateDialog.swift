import Heybot
import HeybotDates
import HeybotSupport

/// Finds out which time a user means, and asks back if that isn't clear.
struct DateDialog: Sendable {
    /// A time that a user has named, and the rest of the text.
    struct Answer: Hashable, Sendable {
        let meaning: DateReading.Meaning
        let rest: String
    }

    /// The maximum length of a text, in bytes.
    static let longest = 2_000
    /// How often the robot asks back.
    private static let mostQuestions = 2
    private static let days = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow"
    ]
    /// Words before a day.
    private static let introductions: Set<String> = ["by", "every", "next", "on", "this", "until"]
    /// The shortest time between two times of a recurrence, in seconds.
    private static let shortestInterval = 300

    let zone: IANATimeZone

    private var parser: DateParser { DateParser(zone: zone.rules) }

    /// Returns the time that a text names at its beginning or end.
    ///
    /// - Parameter isOptional: Whether it returns nil, instead of asking, if the text names no time.
    /// - Throws: A ``Refusal`` if the user names no time, ``AskTimeoutError`` if the user doesn't answer a question,
    ///   ``QuestionAbandonedError`` if the user gives a command instead.
    func find<Match>(in text: String, isOptional: Bool = false, _ res: Response<Match>) async throws -> Answer? {
        let now = res.robot.date.wholeSeconds
        let found: Answer
        do throws(DateParserError) {
            let reading = try parser.find(in: text, now: now)
            found = Answer(meaning: reading.meaning, rest: reading.rest)
        } catch {
            if isOptional, error == .notFound { return nil }
            var reason = error
            if error == .notFound, let day = Self.misspelledDay(in: text) { reason = .misread(words: day) }
            let words = reason.words
            let meaning = try await ask(reason, words, res)
            found = Answer(meaning: meaning, rest: Self.removing(words, from: text))
        }
        try Self.refuseShortIntervals(found.meaning)
        return found
    }

    /// Returns the time that a text names; nil if it names none.
    ///
    /// - Throws: As ``find(in:isOptional:_:)``.
    func parse<Match>(_ text: String, _ res: Response<Match>) async throws -> DateReading.Meaning? {
        let now = res.robot.date.wholeSeconds
        let meaning: DateReading.Meaning
        do throws(DateParserError) {
            meaning = try parser.parse(text, now: now).meaning
        } catch {
            if error == .notFound || error == .tooLong { return nil }
            meaning = try await ask(error, error.words, res)
        }
        try Self.refuseShortIntervals(meaning)
        return meaning
    }

    /// Returns the words that name a time, clear or not, at the beginning or end of a text; nil if there are none.
    static func timeWords(in text: Substring) -> String? {
        do throws(DateParserError) {
            return try DateParser(zone: .utc).find(in: String(text), now: 0).words
        } catch {
            // Cron expressions are found at the beginning only.
            if case .wrongCron = error { return String(text) }
            return error.words
        }
    }

    /// Returns the words of a text that look like a misspelled day, such as `next fryday`; nil if there are none.
    private static func misspelledDay(in text: String) -> String? {
        let words = text.split { $0.isWhitespace || $0 == "," }
        for (index, word) in words.enumerated() {
            let before = index > 0 ? words[index - 1] : nil
            let isIntroduced = before.map { introductions.contains($0.lowercased()) } ?? false
            // Elsewhere in the text, such a word is hardly the time.
            guard index == 0 || isIntroduced else { continue }
            let typed = word.lowercased()
            guard days.contains(where: { typed.slips(from: $0, atMost: 1) != nil }) else { continue }
            let start = isIntroduced ? before?.startIndex ?? word.startIndex : word.startIndex
            return String(text[start..<word.endIndex])
        }
        return nil
    }

    // MARK: Questions

    private func ask<Match>(
        _ first: DateParserError, _ words: String?, _ res: Response<Match>
    ) async throws -> DateReading.Meaning {
        // At the time of a schedule, the user's next message is meant for somebody else.
        guard res.isRequested else { throw Refusal(first.description) }
        var question = first
        for _ in 0..<Self.mostQuestions {
            let proposal = question.proposal
            let answer = try await res.ask(question.description) { typed in
                if proposal != nil, YesOrNo(typed) == .yes { return true }
                return isAnswer(typed, about: words, now: res.robot.date.wholeSeconds)
            }
            let decision = YesOrNo(answer)
            if decision == .no { throw Refusal("OK, never mind.") }
            do throws(DateParserError) {
                if decision == .yes, let proposal {
                    return try parser.parse(proposal, now: res.robot.date.wholeSeconds).meaning
                }
                return try meaning(of: answer, about: words, now: res.robot.date.wholeSeconds)
            } catch {
                question = error
            }
        }
        throw Refusal("I don't understand that as a time, so I've left it.")
    }

    /// Whether a text is meant as an answer: a time, even if it is unclear or over, or a refusal.
    private func isAnswer(_ typed: String, about words: String?, now: Int) -> Bool {
        if YesOrNo(typed) == .no { return true }
        do throws(DateParserError) {
            _ = try meaning(of: typed, about: words, now: now)
            return true
        } catch {
            return error != .notFound && error != .tooLong
        }
    }

    /// Returns the time that an answer names, perhaps together with the words that the question was about.
    private func meaning(
        of typed: String, about words: String?, now: Int
    ) throws(DateParserError) -> DateReading.Meaning {
        let answer = String(oneLine: typed, limit: 200)
        for candidate in DateAnswer.readings(of: answer, about: words) {
            if let reading = try? parser.parse(candidate, now: now) { return reading.meaning }
        }
        return try parser.parse(answer, now: now).meaning
    }

    private static func removing(_ words: String?, from text: String) -> String {
        guard let words, !words.isEmpty, let range = text.firstRange(of: words) else { return text }
        let rest = "\(text[..<range.lowerBound]) \(text[range.upperBound...])"
        return rest.split { $0.isWhitespace }.joined(separator: " ")
    }

    // MARK: Limits

    private static func refuseShortIntervals(_ meaning: DateReading.Meaning) throws(Refusal) {
        guard case .repeatedly(let recurrence, first: _) = meaning,
            interval(of: recurrence) < shortestInterval
        else { return }
        throw Refusal("That's too often for me: every five minutes is the most.")
    }

    /// Returns the shortest time between two times of a recurrence, in seconds.
    static func interval(of recurrence: Recurrence) -> Int {
        let minutes: [Int]
        switch recurrence {
        case .elapsed(let seconds, from: _): return seconds
        case .calendar(_, let times): minutes = Set(times).sorted()
        case .cron(let expression): minutes = expression.minutesOfDay
        }
        guard let first = minutes.first else { return .max }
        let gaps = zip(minutes, minutes.dropFirst() + [first + 1_440]).map { $1 - $0 }
        return (gaps.min() ?? 1_440) * 60
    }
}

/// The answer to a question about words that can mean several times: `17:00`, if the words were `tomorrow at 5`.
enum DateAnswer {
    /// Returns the texts that an answer can stand for, the most likely first.
    ///
    /// - Parameter words: The words that the question was about; nil if it was about no words.
    static func readings(of answer: String, about words: String?) -> [String] {
        // "?" would complete nothing, and only leave out the number.
        guard let words, !words.isEmpty, answer.contains(where: { $0.isLetter || $0.isNumber }) else {
            return [answer]
        }
        let lowercased = answer.lowercased()
        let isIntroduced = lowercased.hasPrefix("at ")
        let clock = isIntroduced ? String(answer.dropFirst(3)) : answer
        var readings: [String] = []
        // In "at 5 on 3 March", only one of the numbers is a time of day, usually the one after "at". It may be wrong: "25:00".
        let number = /\b(?<at>at )?[0-9]+(?:[:.][0-9]+)*(?: ?[ap]m)?\b/.ignoresCase().wordBoundaryKind(.simple)
        for match in words.matches(of: number).reversed() {
            let replacement = "\(match.output.at ?? "")\(clock)"
            readings.append("\(words[..<match.range.lowerBound])\(replacement)\(words[match.range.upperBound...])")
        }
        // "Tomorrow" completes "today at 11:00", which is over.
        let today = /\btoday\b/.ignoresCase().wordBoundaryKind(.simple)
        for match in words.matches(of: today) where match.range != words.startIndex..<words.endIndex {
            readings.append("\(words[..<match.range.lowerBound])\(answer)\(words[match.range.upperBound...])")
        }
        return readings + ["\(words) \(answer)", "\(answer) \(words)", answer]
    }
}
