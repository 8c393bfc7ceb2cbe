extension PhraseParser {
    /// Takes a time of day, such as `at 9:30`, `5pm`, `noon` or `half past three in the afternoon`.
    ///
    /// - Parameter isFollowing: Whether the words before it are part of the phrase, so that a number may be an hour.
    mutating func clock(isFollowing: Bool) -> (clock: ClockPhrase, part: PartOfDay?)? {
        attempt { parser in
            let isIntroduced = parser.introduction(isFollowing: isFollowing)
            guard let clock = parser.clockTime(isIntroduced: isIntroduced, isFollowing: isFollowing) else { return nil }
            _ = parser.takeAny(["sharp", "exactly"])
            return (clock, parser.partOfDay(isAfterDay: false))
        }
    }

    /// Takes `at`, or another word before a time of day.
    private mutating func introduction(isFollowing: Bool) -> Bool {
        if isFollowing, next?.isGlued == true, take("t") { return true }
        var found = takeAny(["at", "@", "by"]) != nil || (isFollowing && take("for"))
        while takeAny(["about", "around", "approximately", "exactly"]) != nil { found = true }
        return found
    }

    private mutating func clockTime(isIntroduced: Bool, isFollowing: Bool) -> ClockPhrase? {
        if takeAny(["noon", "midday"]) != nil { return .exact(12 * 3_600) }
        if take("midnight") { return .midnight }
        if let clock = minutesPastHour(isIntroduced: isIntroduced) { return clock }
        if let clock = digits(isIntroduced: isIntroduced, isFollowing: isFollowing) { return clock }
        return words(isIntroduced: isIntroduced, isFollowing: isFollowing)
    }

    // MARK: Digits

    /// Takes `9:30`, `9.30`, `9:30:15`, `9`, `9pm`, `9 o'clock`, `1730` or `730pm`.
    private mutating func digits(isIntroduced: Bool, isFollowing: Bool) -> ClockPhrase? {
        attempt { parser in
            guard let token = parser.next, let number = parser.number(0...9_999) else { return nil }
            guard token.text.utf8.count <= 2 else { return parser.timeWithoutColon(token.text, number, isIntroduced) }
            if let (minute, second) = parser.minuteAndSecond() {
                if let half = parser.meridiem() { return Self.clock(number, minute, half, second: second) }
                guard number < 24 else { return nil }
                // "5:30" may be in the afternoon, but not "05:30".
                let isHalfDay = 1...6 ~= number && token.text.first != "0" && second == 0
                return isHalfDay ? .halfDay(number * 60 + minute) : .exact(number * 3_600 + minute * 60 + second)
            }
            let isOClock = parser.oClock()
            if let half = parser.meridiem() { return Self.clock(number, 0, half) }
            let isAllowed = isOClock || isIntroduced || parser.allowsBareHours || (isFollowing && parser.isHourEnd)
            guard isAllowed, number < 24 else { return nil }
            // "09" is written as on a clock of 24 hours.
            let isHalfDay = 1...11 ~= number && token.text.first != "0"
            return isHalfDay ? .halfDay(number * 60) : .exact(number * 3_600)
        }
    }

    private mutating func minuteAndSecond() -> (minute: Int, second: Int)? {
        attempt { parser in
            let isColon = parser.takeGlued(":")
            guard isColon || parser.takeGlued(".") else { return nil }
            guard let minute = parser.twoGluedDigits(), minute < 60 else { return nil }
            // "24.12." is a day.
            if !isColon, parser.next?.isGlued == true, parser.next?.text == ".", parser.token(1)?.isGlued == true {
                return nil
            }
            let second: Int? = parser.attempt { parser in
                guard isColon, parser.takeGlued(":") else { return nil }
                guard let second = parser.twoGluedDigits(), second < 60 else { return nil }
                return second
            }
            return (minute, second ?? 0)
        }
    }

    private mutating func timeWithoutColon(_ text: String, _ number: Int, _ isIntroduced: Bool) -> ClockPhrase? {
        let (hour, minute) = (number / 100, number % 100)
        if let half = meridiem() { return Self.clock(hour, minute, half) }
        guard isIntroduced, hour < 24, minute < 60 else { return nil }
        let isHalfDay = text.utf8.count == 3 && hour > 0
        return isHalfDay ? .halfDay(hour * 60 + minute) : .exact(hour * 3_600 + minute * 60)
    }

    /// Whether the words that follow an hour without `at` or minutes leave no doubt that it is one.
    private var isHourEnd: Bool {
        guard let word = next?.text else { return true }
        // In "friday 1:1 with ada", the colon closes nothing.
        return Self.closings.contains(word) ? canEnd : Self.wordsAfterHour.contains(word)
    }

    private static let wordsAfterHour: Set<String> = [
        "to", "that", "today", "tomorrow", "tonight", "every", "utc", "gmt", "sharp"
    ]

    // MARK: Words

    /// Takes `nine`, `nine thirty` or `nine o'clock`.
    private mutating func words(isIntroduced: Bool, isFollowing: Bool) -> ClockPhrase? {
        attempt { parser in
            guard let hour = parser.numberWord(), 1...12 ~= hour else { return nil }
            let minute: Int? = parser.attempt { parser in
                guard let minute = parser.numberWord(), 10...59 ~= minute else { return nil }
                return minute
            }
            let isOClock = minute == nil && parser.oClock()
            if let half = parser.meridiem() { return Self.clock(hour, minute ?? 0, half) }
            guard isOClock || isIntroduced || (isFollowing && parser.isHourEnd) else { return nil }
            return Self.spoken(hour, minute ?? 0)
        }
    }

    /// Takes `half past three`, `quarter to noon` or `ten minutes past 9pm`.
    private mutating func minutesPastHour(isIntroduced: Bool) -> ClockPhrase? {
        attempt { parser in
            guard let (minutes, isCertain) = parser.minutesBeforeOrAfter() else { return nil }
            let isAfter = parser.takeAny(["past", "after"]) != nil
            guard isAfter || parser.takeAny(["to", "before"]) != nil else { return nil }
            // "At 9 to 10 people" isn't a time of day.
            guard isAfter || isCertain || (isIntroduced && minutes.isMultiple(of: 5)) else { return nil }
            let difference = isAfter ? minutes : -minutes
            if parser.takeAny(["noon", "midday"]) != nil { return .exact((720 + difference) * 60) }
            if parser.take("midnight") { return .exact((difference < 0 ? 1_440 + difference : difference) * 60) }
            guard let hour = parser.number(1...12) ?? parser.numberWord(), hour <= 12 else { return nil }
            _ = parser.oClock()
            if let half = parser.meridiem() {
                return .exact(((hour % 12 + half) * 60 + difference + 1_440) % 1_440 * 60)
            }
            let total = (hour * 60 + difference + 720) % 720
            return Self.spoken(total < 60 ? 12 : total / 60, total % 60)
        }
    }

    /// Takes `half`, `a quarter` or `ten minutes`; it is certain if it can't be a plain number.
    private mutating func minutesBeforeOrAfter() -> (minutes: Int, isCertain: Bool)? {
        if take("half") {
            _ = takeGlued("-")
            return next?.text == "past" ? (30, true) : nil
        }
        if take("a", "quarter") || take("quarter") { return (15, true) }
        guard let minutes = cardinal(), 1...59 ~= minutes else { return nil }
        return (minutes, takeAny(["minute", "minutes", "min", "mins"]) != nil)
    }

    // MARK: Halves of the day

    /// Takes `am`, `pm`, `a.m.` or `p.m.`, and returns the hours that it adds.
    mutating func meridiem() -> Int? {
        if take("am") { return 0 }
        if take("pm") { return 12 }
        return attempt { parser in
            guard let word = parser.takeAny(["a", "p"]) else { return nil }
            guard parser.takeGlued("."), parser.takeGlued("m") else { return nil }
            _ = parser.takeGlued(".")
            return word == "p" ? 12 : 0
        }
    }

    private mutating func oClock() -> Bool { take("o'clock") || take("oclock") || take("o", "clock") }

    /// Returns a time with am or pm; nil if there is none.
    private static func clock(_ hour: Int, _ minute: Int, _ half: Int, second: Int = 0) -> ClockPhrase? {
        guard 1...12 ~= hour, 0..<60 ~= minute else { return nil }
        return .exact((hour % 12 + half) * 3_600 + minute * 60 + second)
    }

    /// Returns a time without am or pm.
    ///
    /// Twelve is at noon.
    private static func spoken(_ hour: Int, _ minute: Int) -> ClockPhrase {
        hour == 12 ? .exact(12 * 3_600 + minute * 60) : .halfDay(hour * 60 + minute)
    }

    // MARK: Parts of the day

    /// Takes `in the evening`, `at night` or `at lunch`, or, after a day, `evening`.
    mutating func partOfDay(isAfterDay: Bool) -> PartOfDay? {
        attempt { parser in
            if parser.take("in", "the") {
                _ = parser.take("early")
                let part = parser.nameOfPart()
                return part == .night ? nil : part
            }
            if parser.take("at") {
                if parser.takeAny(["lunch", "lunchtime"]) != nil { return .lunch }
                return parser.take("night") ? .night : nil
            }
            return isAfterDay ? parser.nameOfPart() : nil
        }
    }

    mutating func nameOfPart() -> PartOfDay? {
        switch next?.text {
        case "morning": return takingPart(.morning)
        case "afternoon": return takingPart(.afternoon)
        case "evening": return takingPart(.evening)
        case "night": return takingPart(.night)
        default: return nil
        }
    }

    private mutating func takingPart(_ part: PartOfDay) -> PartOfDay {
        position += 1
        return part
    }
}
