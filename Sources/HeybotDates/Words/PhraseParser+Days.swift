extension PhraseParser {
    /// Takes a day, such as `tomorrow` or `on 3 March`, or a day with a part, such as `tonight`.
    mutating func dayAndPart() -> (day: DayPhrase, part: PartOfDay?)? {
        attempt { parser in
            let isIntroduced = parser.takeAny(["on", "by"]) != nil
            if parser.take("tonight") { return (.relative(0), .night) }
            let part: PartOfDay? = parser.attempt { parser in
                parser.take("this") ? parser.nameOfPart() : nil
            }
            if let part { return (.relative(0), part) }
            guard let day = parser.day(isIntroduced: isIntroduced) else { return nil }
            return (day, nil)
        }
    }

    private mutating func day(isIntroduced: Bool) -> DayPhrase? {
        if let day = relativeDay() ?? numericDay() { return day }
        if let day = weekdayPhrase() ?? dayOfMonth(isIntroduced: isIntroduced) { return day }
        if let day = dayAfterDay() ?? pastDay() { return day }
        return unclearDay()
    }

    private mutating func relativeDay() -> DayPhrase? {
        if take("the", "day", "after", "tomorrow") || take("day", "after", "tomorrow") { return .relative(2) }
        if take("the", "day", "before", "yesterday") || take("day", "before", "yesterday") { return .past }
        if take("today") { return .relative(0) }
        if takeAny(["tomorrow", "tomorow", "tommorow", "tomorrows", "tmrw", "tmr"]) != nil { return .relative(1) }
        return take("yesterday") ? .past : nil
    }

    /// Takes `a week from friday`.
    private mutating func dayAfterDay() -> DayPhrase? {
        attempt { parser in
            guard let duration = parser.duration(), duration.seconds == 0 else { return nil }
            guard parser.takeAny(["from", "after"]) != nil else { return nil }
            _ = parser.take("on")
            let day = parser.relativeDay() ?? parser.numericDay()
            let other = day ?? parser.weekdayPhrase() ?? parser.dayOfMonth(isIntroduced: true)
            return other.map { .after(duration, $0) }
        }
    }

    /// Takes `5 days ago`, `last friday` or `last week`.
    private mutating func pastDay() -> DayPhrase? {
        attempt { parser in
            if parser.duration() != nil { return parser.take("ago") ? .past : nil }
            guard parser.take("last") || parser.take("past") else { return nil }
            if parser.takeAny(["week", "month", "year", "night"]) != nil { return .past }
            return parser.weekday() == nil ? nil : .past
        }
    }

    /// Takes `next week`, `in March` or `5/6`, which can be several days.
    private mutating func unclearDay() -> DayPhrase? {
        attempt { parser in
            let start = parser.position
            if let (first, second, _) = parser.slashedNumbers() {
                guard 1...12 ~= first, 1...12 ~= second else { return nil }
                let names = CivilDate.monthNames
                return .unclear("Do you mean \(first) \(names[second - 1]) or \(second) \(names[first - 1])?")
            }
            parser.position = start
            let word = parser.takeAny(["next", "this", "in"])
            if let word, word != "in", let unit = parser.takeAny(["week", "weekend", "month", "year"]) {
                return .unclear("Which day \(word) \(unit)?")
            }
            guard let month = parser.month() else { return nil }
            let year = parser.year()
            guard word != nil || year != nil else { return nil }
            let name = CivilDate.monthNames[month - 1]
            return .unclear("Which day in \(name)\(year.map { " \($0)" } ?? "")?")
        }
    }

    // MARK: Numbers

    /// Takes `2026-12-24`, `24.12.2026`, `24.12.`, or `12/24/2026` if that can be one day only.
    private mutating func numericDay() -> DayPhrase? {
        let iso: DayPhrase? = attempt { parser in
            guard let year = parser.number(1_000...9_999), parser.takeGlued("-") else { return nil }
            guard let month = parser.number(1...99, isGlued: true), parser.takeGlued("-") else { return nil }
            guard let day = parser.number(1...99, isGlued: true) else { return nil }
            return .date(year: year, month: month, day: day, nil)
        }
        if let iso { return iso }
        let dotted: DayPhrase? = attempt { parser in
            guard let day = parser.number(1...31), parser.takeGlued(".") else { return nil }
            guard let month = parser.number(1...12, isGlued: true), parser.takeGlued(".") else { return nil }
            let year = parser.number(1_000...9_999, isGlued: true)
            // In 31.12.26, the last number is no hour.
            if year == nil, let next = parser.next, next.isGlued, next.kind == .number { return nil }
            return .date(year: year, month: month, day: day, nil)
        }
        if let dotted { return dotted }
        return attempt { parser in
            guard let (first, second, year) = parser.slashedNumbers() else { return nil }
            if first == second || first > 12 { return .date(year: year, month: second, day: first, nil) }
            return second > 12 ? .date(year: year, month: first, day: second, nil) : nil
        }
    }

    private mutating func slashedNumbers() -> (first: Int, second: Int, year: Int?)? {
        attempt { parser in
            guard let first = parser.number(1...31), parser.takeGlued("/") else { return nil }
            guard let second = parser.number(1...31, isGlued: true) else { return nil }
            guard parser.takeGlued("/") else { return (first, second, nil) }
            guard let year = parser.number(1_000...9_999, isGlued: true) else { return nil }
            return (first, second, year)
        }
    }

    // MARK: Weekdays

    /// Takes `friday`, `next friday`, `friday next week`, `next week on friday` or `friday the 13th`.
    private mutating func weekdayPhrase() -> DayPhrase? {
        attempt { parser in
            if let weeks = parser.thisOrNextWeek() {
                _ = parser.takeAny(["on", ","])
                return parser.weekday().map { .weekdayOfWeek($0, weeks: weeks) }
            }
            let word = parser.takeAny(["next", "this", "coming"])
            if word == "this" { _ = parser.take("coming") }
            guard let weekday = parser.weekday() else { return nil }
            if word != nil { return .weekday(weekday, isNext: word == "next") }
            if parser.take("last", "week") || parser.take("of", "last", "week") { return .past }
            if parser.take("after", "next") {
                return .after(CalendarDuration(days: 7), .weekday(weekday, isNext: true))
            }
            let week: Int? = parser.attempt { parser in
                _ = parser.takeAny(["of", "in"])
                return parser.thisOrNextWeek()
            }
            if let week { return .weekdayOfWeek(weekday, weeks: week) }
            let date: DayPhrase? = parser.attempt { parser in
                _ = parser.take(",")
                return parser.dayOfMonth(isIntroduced: true).flatMap { $0.on(weekday) }
            }
            return date ?? .weekday(weekday, isNext: false)
        }
    }

    private mutating func thisOrNextWeek() -> Int? {
        if take("this", "week") { return 0 }
        return take("next", "week") ? 1 : nil
    }

    /// Takes the name of a weekday, or an abbreviation.
    mutating func weekday() -> Weekday? {
        guard let word = next?.text else { return nil }
        let abbreviations = ["tues": "tue", "weds": "wed", "thur": "thu", "thurs": "thu"]
        let short = abbreviations[word] ?? word
        let found = Weekday.allCases.first { weekday in
            let name = weekday.name.lowercased()
            return name == short || name.prefix(3) == short
        }
        guard let found else { return nil }
        position += 1
        if word.utf8.count < 6 { _ = takeGlued(".") }
        return found
    }

    // MARK: Months

    /// Takes `3 March`, `March 3rd 2027`, `the 15th`, `the last monday of March` or `the end of the month`.
    mutating func dayOfMonth(isIntroduced: Bool) -> DayPhrase? {
        attempt { parser in
            if let (month, day) = parser.monthAndDay() {
                return .date(year: parser.year(), month: month, day: day, nil)
            }
            let isDefinite = parser.take("the")
            if parser.take("end") { return parser.monthAfterOf().map { .monthDay(-1, $0, nil) } }
            if parser.take("beginning") { return parser.monthAfterOf().map { .monthDay(1, $0, nil) } }
            let isNumber = parser.next?.kind == .number
            guard let ordinal = parser.take("last") ? -1 : parser.ordinal() else { return nil }
            if let weekday = parser.weekday() {
                guard ordinal <= 5, let month = parser.monthAfterOf() else { return nil }
                return .weekdayOfMonth(ordinal, weekday, month)
            }
            if parser.take("day") { return parser.monthAfterOf().map { .monthDay(ordinal, $0, nil) } }
            guard ordinal > 0, isNumber || (isIntroduced && isDefinite) else { return nil }
            return .monthDay(ordinal, parser.monthAfterOf() ?? .nearest, nil)
        }
    }

    /// Takes `of March`, `of next month` or `of the month`.
    private mutating func monthAfterOf() -> DayPhrase.Month? {
        attempt { parser in
            guard parser.takeAny(["of", "in"]) != nil else { return nil }
            if parser.take("the", "month") { return .nearest }
            if parser.take("this", "month") { return .relative(0) }
            if parser.take("next", "month") { return .relative(1) }
            guard let month = parser.month() else { return nil }
            return .named(month, year: parser.year())
        }
    }

    /// Takes a day and a month, in either order.
    mutating func monthAndDay() -> (month: Int, day: Int)? {
        let dayFirst: (month: Int, day: Int)? = attempt { parser in
            _ = parser.take("the")
            guard let day = parser.ordinal() ?? parser.number(1...31) else { return nil }
            _ = parser.take("of")
            guard let month = parser.month() else { return nil }
            return (month, day)
        }
        if let dayFirst { return dayFirst }
        return attempt { parser in
            guard let month = parser.month() else { return nil }
            _ = parser.take("the")
            if let day = parser.ordinal() { return (month, day) }
            guard let day = parser.number(1...31) else { return nil }
            // The number may be an hour.
            let isTime = parser.next?.isGlued == true && [":", "am", "pm"].contains(parser.next?.text ?? "")
            return isTime ? nil : (month, day)
        }
    }

    /// Takes the name of a month, or an abbreviation, and returns its number.
    mutating func month() -> Int? {
        guard let word = next?.text else { return nil }
        let short = word == "sept" ? "sep" : word
        let index = CivilDate.monthNames.firstIndex { name in
            let name = name.lowercased()
            return name == short || name.prefix(3) == short
        }
        guard let index else { return nil }
        position += 1
        if word.utf8.count < 5 { _ = takeGlued(".") }
        return index + 1
    }

    /// Takes a year of four digits, which a comma may precede.
    private mutating func year() -> Int? {
        attempt { parser in
            _ = parser.take(",")
            guard parser.next?.text.utf8.count == 4, let year = parser.number(1_000...9_999) else { return nil }
            return parser.next?.isGlued == true && parser.next?.text == ":" ? nil : year
        }
    }
}

extension DayPhrase {
    /// The same day, which has to be a weekday; nil if the phrase is no date.
    fileprivate func on(_ weekday: Weekday) -> DayPhrase? {
        switch self {
        case .date(let year, let month, let day, _): .date(year: year, month: month, day: day, weekday)
        case .monthDay(let day, let month, _) where day > 0: .monthDay(day, month, weekday)
        default: nil
        }
    }
}
