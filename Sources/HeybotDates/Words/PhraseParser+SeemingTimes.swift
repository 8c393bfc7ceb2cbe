extension PhraseParser {
    /// Takes words that look like a time, although they may be none: `at 25:00`, `13pm`, `32 march` or `in 0 minutes`.
    ///
    /// - Returns: Whether they can hardly be anything else; nil if there are no such words.
    mutating func seemingTime() -> Bool? {
        guard canBegin else { return nil }
        return seemingLength() ?? seemingDay() ?? seemingClock()
    }

    /// Takes `in 0 minutes`, `in -5 minutes` or `within 1.5 months`.
    private mutating func seemingLength() -> Bool? {
        attempt { parser in
            guard parser.takeAny(["in", "within"]) != nil else { return nil }
            _ = parser.take("-")
            guard parser.anyDigits() != nil else { return nil }
            if parser.takeGlued("."), parser.anyDigits() == nil { return nil }
            guard let word = parser.next?.text, TimeUnit(word) != nil else { return nil }
            parser.position += 1
            return parser.canEnd ? true : nil
        }
    }

    /// Takes `32 march`, `march 32`, `on the 32nd`, `12/31/26` or `32.12.2026`.
    private mutating func seemingDay() -> Bool? {
        attempt { parser in
            let isIntroduced = parser.takeAny(["on", "by"]) != nil
            let isDefinite = parser.take("the")
            // Alone, three numbers may be a version.
            let isDate = parser.numericDate()
            guard isDate || parser.dayBeyondMonth(isIntroduced: isIntroduced || isDefinite) else { return nil }
            return parser.isBeforeOtherWords ? isIntroduced || isDefinite || !isDate : nil
        }
    }

    /// Takes three numbers with slashes or points between them.
    private mutating func numericDate() -> Bool {
        let date: Bool? = attempt { parser in
            guard parser.anyDigits() != nil, let separator = parser.next?.text else { return nil }
            guard separator == "/" || separator == ".", parser.takeGlued(separator) else { return nil }
            guard parser.anyDigits(isGlued: true) != nil else { return nil }
            guard parser.takeGlued(separator), let year = parser.anyDigits(isGlued: true) else { return nil }
            return year.utf8.count == 2 || year.utf8.count == 4 ? true : nil
        }
        return date != nil
    }

    /// Takes a month and the number of a day that no month has, or only the number if it is an ordinal.
    private mutating func dayBeyondMonth(isIntroduced: Bool) -> Bool {
        let day: Bool? = attempt { parser in
            let isMonthFirst = parser.month() != nil
            if isMonthFirst { _ = parser.take("the") }
            guard let number = parser.anyDigits(), number.utf8.count <= 3, !(1...31 ~= Int(number) ?? 0) else {
                return nil
            }
            let isOrdinal = parser.next?.isGlued == true && parser.takeAny(["st", "nd", "rd", "th"]) != nil
            if isMonthFirst { return true }
            _ = parser.take("of")
            guard parser.month() != nil || (isOrdinal && isIntroduced) else { return nil }
            // The year.
            if parser.next?.text.utf8.count == 4 { _ = parser.number(1_000...9_999) }
            return true
        }
        return day != nil
    }

    /// Takes `at 25:00`, `25:61`, `13pm` or `at 25`.
    private mutating func seemingClock() -> Bool? {
        attempt { parser in
            let introduction = parser.takeAny(["at", "@", "by", "around"])
            let isIntroduced = introduction != nil
            guard let hour = parser.anyDigits(), hour.utf8.count <= 4 else { return nil }
            let minutes: String? = parser.attempt { parser in
                guard parser.takeGlued(":") else { return nil }
                return parser.anyDigits(isGlued: true)
            }
            let isPointed: Bool? = parser.attempt { parser in
                guard parser.takeGlued("."), parser.anyDigits(isGlued: true)?.utf8.count == 2 else { return nil }
                return true
            }
            let hasHalf = parser.meridiem() != nil
            // "1:1" is a talk.
            if hasHalf || (minutes?.utf8.count ?? 0) > (isIntroduced ? 0 : 1) {
                parser.skipGlued()
                return isIntroduced || hasHalf
            }
            let isTooLate = (Int(hour) ?? 0) >= 24
            guard minutes == nil, isIntroduced, isPointed != nil || isTooLate else { return nil }
            // "By 50" may be an amount.
            return parser.isBeforeOtherWords ? introduction == "at" || introduction == "@" : nil
        }
    }

    /// Skips what is glued to the token before, but for the punctuation at its end.
    private mutating func skipGlued() {
        let start = position
        while let token = next, token.isGlued { position += 1 }
        while position > start, Self.closings.contains(tokens[position - 1].text) { position -= 1 }
    }

    /// Takes a number of any length, and returns its digits.
    private mutating func anyDigits(isGlued: Bool = false) -> String? {
        guard let token = next, token.kind == .number, token.isGlued || !isGlued else { return nil }
        position += 1
        return token.text
    }

    /// Whether the next word, if there is one, begins something else, so that the number before it counts nothing.
    private var isBeforeOtherWords: Bool {
        guard canEnd, let word = next?.text else { return canEnd }
        return Self.closings.contains(word) || Self.otherWords.contains(word)
    }

    private static let otherWords: Set<String> = [
        "to", "that", "about", "at", "@", "in", "on", "by", "for", "every", "today", "tomorrow", "tonight"
    ]
}
