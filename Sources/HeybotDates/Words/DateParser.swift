/// Finds dates and times in English words: `in 20 minutes`, `next friday 17:30`, `every first monday at 10`.
///
/// What the words mean depends on nothing but the time now and the time zone. Times of day are on a clock of 24 hours. An hour
/// alone, such as `9`, and a time before 7:00, such as `5:30`, may be in the afternoon if that comes first; it is asked back if
/// it would be at night. A weekday is the next such day.
package struct DateParser: Sendable {
    /// The maximum length of a text, in bytes.
    package static let longest = 4_000

    /// The time zone of days and times of day.
    package let zone: TimeZoneData
    /// The minutes since midnight of a day without a time of day.
    package let usualMinutes: Int

    /// Creates a parser.
    ///
    /// By default a day without a time of day is at 9:00.
    package init(zone: TimeZoneData, usualMinutes: Int = 9 * 60) {
        (self.zone, self.usualMinutes) = (zone, min(max(usualMinutes, 0), 1_439))
    }

    /// Parses a text that names a time and nothing else.
    package func parse(_ text: String, now: Int) throws(DateParserError) -> DateReading {
        let tokens = try Self.tokens(of: text)
        if let cron = try self.cron(in: text, now: now) {
            guard cron.rest.isEmpty else { throw .notFound }
            return cron
        }
        let found = FoundPhrase(tokens, at: 0, allowsBareHours: true)
        if let found, FoundPhrase.isEnd(found.end, tokens) { return try reading(found, tokens, text, now) }
        if let range = Misreading.range(atBeginningOf: tokens, after: found?.end),
            FoundPhrase.isEnd(range.upperBound, tokens)
        {
            throw .misread(words: words(range, tokens, text))
        }
        throw .notFound
    }

    /// Finds the time that a text names at its beginning, or else at its end.
    ///
    /// In `in 20 minutes to call ada` and in `to call ada in 20 minutes`, the rest is `to call ada`.
    package func find(in text: String, now: Int) throws(DateParserError) -> DateReading {
        let tokens = try Self.tokens(of: text)
        if let cron = try self.cron(in: text, now: now) { return cron }
        let beginning = FoundPhrase(tokens, at: 0)
        if let range = Misreading.range(atBeginningOf: tokens, after: beginning?.end) {
            throw .misread(words: words(range, tokens, text))
        }
        let end = lastPhrase(tokens, after: beginning?.end ?? 0)
        if beginning == nil, let range = Misreading.range(atEndOf: tokens, before: end) {
            throw .misread(words: words(range, tokens, text))
        }
        guard let found = beginning ?? end else { throw .notFound }
        if Self.hasNextTime(found, tokens) {
            throw .unclear(
                words: words(found.range, tokens, text),
                question: "More than one time? Say one of them, or say it as in: every monday and friday.")
        }
        if let beginning, let end, Self.belongTogether(beginning.phrase, end.phrase) {
            let (one, other) = (words(beginning.range, tokens, text), words(end.range, tokens, text))
            throw .unclear(
                words: one, question: "Do you mean \"\(one) \(other)\"? Then please say these words together.")
        }
        return try reading(found, tokens, text, now)
    }

    // MARK: Phrases

    private static func tokens(of text: String) throws(DateParserError) -> [Token] {
        guard text.utf8.count <= longest else { throw .tooLong }
        return Token.tokens(of: text)
    }

    /// Returns the longest phrase at the end of the text.
    private func lastPhrase(_ tokens: [Token], after index: Int) -> FoundPhrase? {
        for start in max(index, tokens.count - FoundPhrase.mostTokens)..<max(index, tokens.count) {
            guard let found = FoundPhrase(tokens, at: start), FoundPhrase.isEnd(found.end, tokens) else { continue }
            // "I saw the sun" isn't about Sunday.
            let isWord = found.end == start + 1 && Self.shortWords.contains(tokens[start].text)
            if !isWord { return found }
        }
        return nil
    }

    /// Abbreviations of weekdays that are words.
    private static let shortWords: Set<String> = ["sun", "mon", "wed", "sat", "now"]

    /// Words before a time that is perhaps not the one meant, as in "finish it before friday".
    private static let wordsBeforeOtherTimes: Set<String> = [
        "for", "before", "after", "until", "till", "since", "from", "of", "and", "or"
    ]

    /// Whether another time follows at once, as in `tomorrow at 9 and friday` or `tomorrow at 9 on friday`.
    private static func hasNextTime(_ found: FoundPhrase, _ tokens: [Token]) -> Bool {
        let isComma = tokens.dropFirst(found.end).first?.text == ","
        let index = found.end + (isComma ? 1 : 0)
        guard let next = tokens.dropFirst(index).first else { return false }
        if next.text == "and" || next.text == "or" { return FoundPhrase(tokens, at: index + 1) != nil }
        // "Weekly" in "in 5 minutes weekly report" is part of the text.
        let isTime = next.kind == .number || ["at", "@", "on"].contains(next.text)
        return isTime && FoundPhrase(tokens, at: index) != nil
    }

    /// Whether one phrase names a day and the other one a time of day.
    private static func belongTogether(_ one: DatePhrase, _ other: DatePhrase) -> Bool {
        switch (one, other) {
        case (.once(let one), .once(let other)):
            (one.isDayOnly && other.isTimeOnly) || (one.isTimeOnly && other.isDayOnly)
        case (.repeatedly(let one), .once(let other)): one.lacksTime && other.isTimeOnly
        case (.once(let one), .repeatedly(let other)): one.isTimeOnly && other.lacksTime
        case (.repeatedly, .repeatedly): false
        }
    }

    // MARK: Readings

    private func reading(
        _ found: FoundPhrase, _ tokens: [Token], _ text: String, _ now: Int
    ) throws(DateParserError) -> DateReading {
        let words = self.words(found.range, tokens, text)
        if found.start > 0, Self.wordsBeforeOtherTimes.contains(tokens[found.start - 1].text) {
            let all = "\(tokens[found.start - 1].text) \(words)"
            throw .unclear(words: words, question: "When? I can't tell whether \"\(all)\" is the time.")
        }
        let resolver = PhraseResolver(zone: zone, now: now, usualMinutes: usualMinutes, words: words)
        let meaning: DateReading.Meaning
        switch found.phrase {
        case .once(let phrase): meaning = .once(try resolver.time(of: phrase))
        case .repeatedly(let phrase): meaning = try resolver.recurrence(of: phrase)
        }
        let start = tokens[found.start].range.lowerBound
        let end = tokens[found.end - 1].range.upperBound
        let before = Self.trimmed(text[..<start])
        let after = Self.trimmed(text[end...])
        // At the end of a text, punctuation after the words goes with them.
        let rest = FoundPhrase.isEnd(found.end, tokens) ? before : after
        return DateReading(meaning: meaning, words: String(text[start..<end]), rest: rest)
    }

    /// The words of some tokens, for an answer: in one line, and cut if they are long.
    private func words(_ range: Range<Int>, _ tokens: [Token], _ text: String) -> String {
        let (start, end) = (tokens[range.lowerBound].range.lowerBound, tokens[range.upperBound - 1].range.upperBound)
        let words = text[start..<end].split { $0.isWhitespace }.joined(separator: " ")
        return String(words.prefix(60).filter { !Self.isControl($0) })
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.contains { scalar in
            let category = scalar.properties.generalCategory
            return category == .control || category == .format
        }
    }

    /// Removes spaces and separators from both ends.
    private static func trimmed(_ text: Substring) -> String {
        func isSeparator(_ character: Character) -> Bool { character.isWhitespace || ",:;".contains(character) }
        var text = text.drop(while: isSeparator)
        while let last = text.last, isSeparator(last) { text.removeLast() }
        return String(text)
    }

    // MARK: Cron

    /// Returns the cron expression at the beginning of a text, after the words `by cron` or `cron` if they are there.
    private func cron(in text: String, now: Int) throws(DateParserError) -> DateReading? {
        let words = text.split(maxSplits: 7, whereSeparator: { $0.isWhitespace })
        var fields = words[...]
        // "Cron job is broken" is a text, but "by cron" leaves no doubt.
        let isCertain = words.prefix(2).map { $0.lowercased() } == ["by", "cron"]
        if isCertain { fields.removeFirst() }
        let isNamed = fields.first?.lowercased() == "cron"
        if isNamed { fields.removeFirst() }
        guard let first = fields.first else { return nil }
        let isMacro = Self.unquoted(first).first == "@"
        let used = fields.prefix(isMacro ? 1 : 5)
        let typed = used.map { Self.unquoted($0) }.joined(separator: " ")
        guard isCertain || Self.looksLikeCron(typed, isNamed: isNamed), let start = words.first?.startIndex,
            let end = used.last?.endIndex
        else { return nil }
        let expression: CronExpression
        do throws(CronExpressionError) {
            expression = try CronExpression(typed)
        } catch {
            // "@ada" is a person, and "2 * 3 is 6" a sentence.
            if !isNamed, isMacro || typed.contains(where: { $0.isLetter }) { return nil }
            throw .wrongCron(words: String(text[start..<end].prefix(60)), error)
        }
        let recurrence = Recurrence.cron(expression)
        guard let time = recurrence.next(after: now, in: zone) else { throw .noSuchDay(words: expression.description) }
        let rest = Self.trimmed(text[end...])
        return DateReading(
            meaning: .repeatedly(recurrence, first: time), words: String(text[start..<end]), rest: rest)
    }

    /// Whether words are meant as a cron expression: numbers and stars, with at least one star if it isn't named.
    private static func looksLikeCron(_ text: String, isNamed: Bool) -> Bool {
        guard let first = text.first else { return false }
        guard first == "*" || first == "@" || (first.isASCII && first.isNumber) else { return false }
        if first == "@" || isNamed { return true }
        let fields = text.split(separator: " ")
        return fields.count == 5 && fields.contains { $0.first == "*" }
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "*/-, ".contains($0)) }
    }

    private static func unquoted(_ text: Substring) -> Substring {
        let quotes = "\"'`“”"
        var text = text.drop { quotes.contains($0) }
        while let last = text.last, quotes.contains(last) { text.removeLast() }
        return text
    }
}

/// What a text says about a time, and the rest of the text.
package struct DateReading: Hashable, Sendable {
    /// A time, or how often something recurs.
    package enum Meaning: Hashable, Sendable {
        /// A time in seconds since 1970.
        case once(Int)
        /// A recurrence, and the first time.
        case repeatedly(Recurrence, first: Int)

        /// The time, or the first time, in seconds since 1970.
        package var first: Int {
            switch self {
            case .once(let time): time
            case .repeatedly(_, let first): first
            }
        }
    }

    /// What the words mean.
    package let meaning: Meaning
    /// The words that name the time.
    package let words: String
    /// The text without these words, with no spaces at its ends.
    package let rest: String
}
