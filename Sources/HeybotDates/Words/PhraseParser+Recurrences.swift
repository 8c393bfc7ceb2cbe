extension PhraseParser {
    /// Takes how often something recurs, such as `every weekday at 9:30` or `at noon on the last friday of every month`.
    mutating func recurrence() -> DatePhrase? {
        attempt { parser in
            var clocks = parser.clocks()
            _ = parser.take(",")
            guard var phrase = parser.rule() else { return nil }
            if phrase.part == nil { phrase.part = parser.partOfDay(isAfterDay: true) }
            if clocks.isEmpty {
                _ = parser.take(",")
                clocks = parser.clocks()
            }
            if phrase.part == nil { phrase.part = parser.partOfDay(isAfterDay: true) }
            phrase.clocks = clocks
            if parser.takeAny(["utc", "gmt"]) != nil {
                phrase.rule = .unclear("I can repeat in your time zone only. At which time there?")
            }
            return .repeatedly(phrase)
        }
    }

    /// Takes times of day, such as `at 9 and 17:30`.
    private mutating func clocks() -> [ClockPhrase] {
        var clocks: [ClockPhrase] = []
        while clocks.count < 24 {
            let clock: ClockPhrase? = attempt { parser in
                if !clocks.isEmpty, !parser.take(","), !parser.take("and") { return nil }
                guard let (clock, part) = parser.clock(isFollowing: true) else { return nil }
                return clock.during(part)
            }
            guard let clock else { break }
            clocks.append(clock)
        }
        return clocks
    }

    private mutating func rule() -> RecurrencePhrase? {
        if let rule = adverb() ?? plural() ?? monthlyBeforeEvery() { return RecurrencePhrase(rule: rule) }
        return every()
    }

    // MARK: Words without every

    /// Takes `daily`, `weekly on friday`, `monthly on the 15th` or the like.
    private mutating func adverb() -> RecurrencePhrase.Rule? {
        if take("hourly") { return .seconds(3_600) }
        if take("daily") || take("everyday") { return .days(.days(every: 1, from: 0)) }
        if take("weekly") { return weeks(1) }
        if take("fortnightly") { return weeks(2) }
        if take("biweekly") { return .unclear("Every two weeks, or twice a week?") }
        if take("monthly") { return months(1) }
        if take("quarterly") { return months(3) }
        return take("yearly") || take("annually") ? years(1) : nil
    }

    /// Takes `weekdays` or `on mondays and thursdays`.
    private mutating func plural() -> RecurrencePhrase.Rule? {
        attempt { parser in
            _ = parser.take("on")
            if parser.take("weekdays") { return .days(.weekdays(Weekday.workdays, every: 1, from: 0)) }
            if parser.take("weekends") { return .days(.weekdays(Weekday.weekend, every: 1, from: 0)) }
            let weekdays: [Weekday] = parser.list { parser in parser.pluralWeekday() }
            return weekdays.isEmpty ? nil : .days(.weekdays(Self.ordered(weekdays), every: 1, from: 0))
        }
    }

    /// Takes `the first monday of every month` or `on the 15th of each month`.
    private mutating func monthlyBeforeEvery() -> RecurrencePhrase.Rule? {
        attempt { parser in
            guard let ordinals = parser.ordinals() else { return nil }
            let kind = parser.kindOfDay()
            guard parser.take("of"), parser.takeAny(["every", "each"]) != nil else { return nil }
            let count = parser.count()
            guard 1...1_000 ~= count, parser.takeAny(["month", "months"]) != nil else { return nil }
            guard let rule = kind.rule(ordinals, every: count) else { return nil }
            return .days(rule)
        }
    }

    // MARK: Every

    /// Takes `every`, and what follows it.
    private mutating func every() -> RecurrencePhrase? {
        attempt { parser in
            guard parser.takeAny(["every", "each"]) != nil || parser.take("once", "a") else { return nil }
            if let part = parser.nameOfPart() {
                return RecurrencePhrase(rule: .days(.days(every: 1, from: 0)), part: part)
            }
            let interval = parser.everyLength() ?? parser.everyUnit()
            let rule = interval ?? parser.everyWeekday() ?? parser.everyDayOfMonth()
            return rule.map { RecurrencePhrase(rule: $0) }
        }
    }

    /// Takes a length of time without days, such as `90 minutes`, `half hour` or `1h30m`.
    private mutating func everyLength() -> RecurrencePhrase.Rule? {
        attempt { parser in
            guard let length = parser.duration(), length.days == 0, length.months == 0 else { return nil }
            return .seconds(length.seconds)
        }
    }

    /// Takes `hour`, `2 weeks on monday`, `month on the 15th`, `other year` or the like.
    private mutating func everyUnit() -> RecurrencePhrase.Rule? {
        attempt { parser in
            let count = parser.count()
            guard 1...1_000 ~= count, let word = parser.next?.text, word.utf8.count > 1 else { return nil }
            parser.position += 1
            // "Every second day of the month" is another thing.
            guard parser.next?.text != "of" else { return nil }
            switch TimeUnit(word) {
            case .second: return .seconds(count)
            case .minute: return .seconds(count * 60)
            case .hour: return .seconds(count * 3_600 + (parser.take("and", "a", "half") ? 1_800 : 0))
            case .day: return .days(.days(every: count, from: 0))
            case .week: return parser.weeks(count)
            case .month: return parser.months(count)
            case .year: return parser.years(count)
            case nil: break
            }
            switch word {
            case "fortnight": return parser.weeks(2 * count)
            case "quarter", "quarters": return parser.months(3 * count)
            case "weekend", "weekends": return .days(.weekdays(Weekday.weekend, every: count, from: 0))
            default: return nil
            }
        }
    }

    /// Takes `other`, `second` or `2` before a unit; one if there is no number.
    private mutating func count() -> Int {
        if take("other") { return 2 }
        return ordinal() ?? cardinal() ?? 1
    }

    private mutating func weeks(_ count: Int) -> RecurrencePhrase.Rule {
        let weekdays: [Weekday]? = attempt { parser in
            _ = parser.take("on")
            let weekdays = parser.weekdays()
            return weekdays.isEmpty ? nil : weekdays
        }
        guard let weekdays else { return .sameWeekday(weeks: count) }
        return .days(.weekdays(weekdays, every: count, from: 0))
    }

    private mutating func months(_ count: Int) -> RecurrencePhrase.Rule {
        let rule: DayRule? = attempt { parser in
            guard let ordinals = parser.ordinals() else { return nil }
            return parser.kindOfDay().rule(ordinals, every: count)
        }
        guard let rule else { return .sameMonthDay(months: count) }
        return .days(rule)
    }

    private mutating func years(_ count: Int) -> RecurrencePhrase.Rule {
        let rule: DayRule? = attempt { parser in
            _ = parser.take("on")
            guard let (month, day) = parser.monthAndDay() else { return nil }
            return .yearDay(month: month, day: day, every: count, from: 0)
        }
        guard let rule else { return .sameYearDay(years: count) }
        return .days(rule)
    }

    /// Takes `weekday`, `monday and thursday` or `other friday`.
    private mutating func everyWeekday() -> RecurrencePhrase.Rule? {
        attempt { parser in
            let isOther = parser.take("other")
            let weekdays = parser.weekdays()
            if isOther, weekdays == Weekday.workdays {
                return .unclear("Which weekdays? Say it as in: every monday, wednesday and friday.")
            }
            return weekdays.isEmpty ? nil : .days(.weekdays(weekdays, every: isOther ? 2 : 1, from: 0))
        }
    }

    /// Takes `weekday`, or names of weekdays, which may be in the plural.
    private mutating func weekdays() -> [Weekday] {
        if takeWorkday() { return Weekday.workdays }
        let weekdays: [Weekday] = list { parser in parser.weekday() ?? parser.pluralWeekday() }
        return Self.ordered(weekdays)
    }

    /// Takes `mondays` or the like.
    private mutating func pluralWeekday() -> Weekday? {
        guard let word = next?.text else { return nil }
        let found = Weekday.allCases.first { $0.name.lowercased() + "s" == word }
        if found != nil { position += 1 }
        return found
    }

    private static func ordered(_ weekdays: [Weekday]) -> [Weekday] {
        weekdays.sorted { $0.daysSinceMonday < $1.daysSinceMonday }
    }

    private mutating func takeWorkday() -> Bool {
        takeAny(["weekday", "weekdays", "workday"]) != nil || take("working", "day") || take("business", "day")
    }

    /// Takes `first monday`, `last day of the month`, `15th`, `3rd of March` or `March 3rd`.
    private mutating func everyDayOfMonth() -> RecurrencePhrase.Rule? {
        attempt { parser in
            if let (month, day) = parser.monthAndDay() {
                return .days(.yearDay(month: month, day: day, every: 1, from: 0))
            }
            let isNumber = (parser.next?.text == "the" ? parser.token(1) : parser.next)?.kind == .number
            guard let ordinals = parser.ordinals() else { return nil }
            let kind = parser.kindOfDay()
            let isOfMonth = parser.take("of", "the", "month") || parser.take("in", "the", "month")
            let isOfEveryMonth = isOfMonth || parser.take("of", "every", "month") || parser.take("of", "each", "month")
            guard isOfEveryMonth || !["of", "in"].contains(parser.next?.text ?? "") else { return nil }
            if !isOfEveryMonth {
                switch kind {
                // "Every second" alone isn't the second day of the month.
                case .days where !isNumber: return nil
                case .weekdays(let weekdays) where ordinals == [2]:
                    let name = weekdays.count == 1 ? weekdays[0].name : "weekday"
                    return .unclear("Every other \(name), or every second \(name) of the month?")
                default: break
                }
            }
            guard let rule = kind.rule(ordinals, every: 1) else { return nil }
            return .days(rule)
        }
    }

    // MARK: Lists

    /// Takes `on the 1st and 15th`, or `the last`, where -1 is the last one.
    private mutating func ordinals() -> [Int]? {
        attempt { parser in
            _ = parser.take("on")
            let ordinals: [Int] = parser.list { parser in
                _ = parser.take("the")
                return parser.take("last") ? -1 : parser.ordinal()
            }
            return ordinals.isEmpty ? nil : ordinals
        }
    }

    /// Takes what ordinals count: `monday`, `weekday` or `day`, or days if that isn't said.
    private mutating func kindOfDay() -> KindOfDay {
        if take("day") { return .days }
        if takeWorkday() { return .weekdays(Weekday.workdays) }
        guard let weekday = self.weekday() else { return .days }
        return .weekdays([weekday])
    }

    private enum KindOfDay {
        case days
        case weekdays([Weekday])

        func rule(_ ordinals: [Int], every count: Int) -> DayRule? {
            switch self {
            case .days: .monthDays(ordinals, every: count, from: 0)
            case .weekdays(let weekdays):
                ordinals.allSatisfy { $0 <= (weekdays.count == 1 ? 5 : 23) }
                    ? .weekdaysOfMonth(ordinals, weekdays, every: count, from: 0) : nil
            }
        }
    }

    /// Takes values with commas or `and` between them, each once.
    private mutating func list<Value: Equatable>(_ parse: (inout PhraseParser) -> Value?) -> [Value] {
        var values: [Value] = []
        while values.count < 31 {
            let isFirst = values.isEmpty
            let value: Value? = attempt { parser in
                if !isFirst {
                    let isSeparated = parser.take(",")
                    guard parser.take("and") || isSeparated else { return nil }
                }
                return parse(&parser)
            }
            guard let value else { break }
            if !values.contains(value) { values.append(value) }
        }
        return values
    }
}
