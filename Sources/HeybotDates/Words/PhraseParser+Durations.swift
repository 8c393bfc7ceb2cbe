/// A unit of time.
enum TimeUnit: Hashable {
    case second, minute, hour, day, week, month, year

    /// Returns the unit that a word names, in the singular or the plural; nil if it names none.
    init?(_ word: String) {
        switch word {
        case "s", "sec", "secs", "second", "seconds": self = .second
        case "m", "min", "mins", "minute", "minutes": self = .minute
        case "h", "hr", "hrs", "hour", "hours": self = .hour
        case "d", "day", "days": self = .day
        case "w", "wk", "wks", "week", "weeks": self = .week
        case "month", "months": self = .month
        case "y", "yr", "yrs", "year", "years": self = .year
        default: return nil
        }
    }

    /// Returns a number of hundredths of the unit; nil for a part of a month.
    func duration(hundredths: Int) -> CalendarDuration? {
        switch self {
        case .second: return CalendarDuration(seconds: hundredths / 100)
        case .minute: return CalendarDuration(seconds: hundredths * 60 / 100)
        case .hour: return CalendarDuration(seconds: hundredths * 3_600 / 100)
        case .day: return CalendarDuration(days: hundredths / 100, seconds: hundredths % 100 * 864)
        case .week:
            let days = hundredths * 7
            return CalendarDuration(days: days / 100, seconds: days % 100 * 864)
        case .month, .year:
            let months = hundredths * (self == .year ? 12 : 1)
            return months.isMultiple(of: 100) ? CalendarDuration(months: months / 100) : nil
        }
    }
}

extension PhraseParser {
    /// Takes a length of time from now, such as `in 20 minutes`, `an hour from now` or, if it may, `20 minutes`.
    mutating func durationFromNow() -> CalendarDuration? {
        attempt { parser in
            let isIntroduced = parser.takeAny(["in", "within", "after"]) != nil
            if isIntroduced { _ = parser.takeAny(["about", "around"]) }
            // "In 0 minutes" is no time to come.
            guard let duration = parser.duration(), duration != CalendarDuration() else { return nil }
            if parser.fromNow() || isIntroduced { return duration }
            // "20 minutes past 9" is a time of day.
            let isClock = ["past", "to", "after", "before"].contains(parser.next?.text ?? "")
            return parser.allowsBareHours && !isClock ? duration : nil
        }
    }

    private mutating func fromNow() -> Bool {
        if take("from", "now") || take("from", "right", "now") || take("later") || take("hence") { return true }
        // "In two weeks' time."
        return take("time") || take("'", "time") || take("’", "time")
    }

    /// Takes a length of time, such as `1 hour and 30 minutes`, `1h30m`, `an hour and a half` or `half an hour`.
    mutating func duration() -> CalendarDuration? {
        guard var total = durationPart() else { return nil }
        // No more parts than there are units.
        for _ in 0..<6 {
            let part: CalendarDuration? = attempt { parser in
                _ = parser.take(",")
                _ = parser.take("and")
                return parser.durationPart()
            }
            guard let part else { break }
            total = total + part
        }
        return total
    }

    /// Takes a number with a unit, and the half of the unit if that follows.
    private mutating func durationPart() -> CalendarDuration? {
        attempt { parser in
            guard let hundredths = parser.hundredths() else { return nil }
            _ = parser.take("more")
            _ = parser.takeGlued("-")
            if parser.take("fortnight") || parser.take("fortnights") {
                return TimeUnit.week.duration(hundredths: hundredths * 2)
            }
            guard let word = parser.next, let unit = TimeUnit(word.text) else { return nil }
            // One letter is a unit after digits only.
            guard word.text.utf8.count > 1 || parser.token(-1)?.kind == .number else { return nil }
            parser.position += 1
            let isHalfMore = parser.take("and", "a", "half")
            return unit.duration(hundredths: hundredths + (isHalfMore ? 50 : 0))
        }
    }

    /// Takes a number of hundredths: `2`, `2.5`, `a couple of`, `half an`, `three quarters of an`, `two and a half`.
    private mutating func hundredths() -> Int? {
        if let fraction = self.fraction() { return fraction }
        if take("a", "couple", "of") || take("a", "couple") || take("couple", "of") { return 200 }
        if take("a", "few") || take("few") { return 300 }
        if take("a") || take("an") || take("another") { return 100 }
        guard let number = cardinal() else { return nil }
        var hundredths = number * 100
        let decimals: Int? = attempt { parser in
            guard parser.takeGlued("."), let digits = parser.next, digits.isGlued, digits.text.utf8.count <= 2 else {
                return nil
            }
            guard let number = parser.number(0...99) else { return nil }
            return digits.text.utf8.count == 1 ? number * 10 : number
        }
        if let decimals {
            hundredths += decimals
        } else if take("and", "a", "half") || take("and", "an", "half") {
            hundredths += 50
        }
        return hundredths
    }

    /// Takes a part of a unit, up to the unit.
    private mutating func fraction() -> Int? {
        attempt { parser in
            let isSingle = parser.take("a")
            if parser.take("half") {
                _ = parser.takeAny(["a", "an"])
                return 50
            }
            var count = 1
            if !isSingle, parser.take("three") { count = 3 }
            _ = parser.takeGlued("-")
            guard parser.takeAny(["quarter", "quarters"]) != nil else { return nil }
            _ = parser.take("of")
            guard parser.takeAny(["a", "an"]) != nil || parser.next?.text == "hour" else { return nil }
            return count * 25
        }
    }
}
