/// Finds the day that words mean.
struct DayResolver {
    let today: CivilDate
    /// The words, for errors.
    let words: String
    /// Whether the words name a time of day too: then today's date is today, even if that time is over.
    let hasTime: Bool
    /// Whether the time of day on a day, which is given as the number of days since 1 January 1970, isn't over.
    let isAhead: (Int) -> Bool

    /// The number of years that are looked at: the longest time between two leap days on the same weekday.
    private static let mostYears = 40

    /// Returns a day as the number of days since 1 January 1970.
    func number(of day: DayPhrase) throws(DateParserError) -> Int {
        switch day {
        case .relative(let days): return today.days + days
        case .weekday(let weekday, let isNext): return nearest(weekday, includingToday: !isNext)
        case .weekdayOfWeek(let weekday, let weeks):
            return today.days - today.weekday.daysSinceMonday + 7 * weeks + weekday.daysSinceMonday
        case .monthDay(let day, let month, let weekday):
            return try firstDay(in: month) { first in
                let number = day < 0 ? first.daysInMonth : day
                let date = CivilDate(year: first.year, month: first.month, day: number)
                return date.exists && (weekday == nil || date.weekday == weekday) ? date : nil
            }
        case .weekdayOfMonth(let ordinal, let weekday, let month):
            return try firstDay(in: month) { Self.day(ordinal, weekday, in: $0) }
        case .date(let year, let month, let day, let weekday):
            return try date(year, month, day, weekday)
        case .after(let duration, let day):
            guard duration.months <= 1_200, duration.days <= 36_525 else { throw .tooFar(words: words) }
            let anyDay = DayResolver(today: today, words: words, hasTime: false) { _ in true }
            let start = CivilDate(days: try anyDay.number(of: day))
            return start.addingMonths(duration.months).days + duration.days
        case .past: throw .past(words: words)
        case .unclear(let question): throw .unclear(words: words, question: question)
        }
    }

    private func nearest(_ weekday: Weekday, includingToday: Bool) -> Int {
        let distance = (weekday.rawValue - today.weekday.rawValue + 7) % 7
        if distance > 0 { return today.days + distance }
        return includingToday && isAhead(today.days) ? today.days : today.days + 7
    }

    /// Returns the first day that isn't over, or today.
    private func date(_ year: Int?, _ month: Int, _ day: Int, _ weekday: Weekday?) throws(DateParserError) -> Int {
        let years = year.map { $0...$0 } ?? today.year...today.year + 8
        for number in years {
            let date = CivilDate(year: number, month: month, day: day)
            let isToday = hasTime && date.days == today.days
            guard date.exists, year != nil || isToday || isAhead(date.days) else { continue }
            guard weekday == nil || date.weekday == weekday else {
                let shown = "\(day) \(CivilDate.monthNames[month - 1]) \(number)"
                throw .unclear(words: words, question: "\(shown) is a \(date.weekday.name). Which day do you mean?")
            }
            return date.days
        }
        throw .noSuchDay(words: words)
    }

    /// Returns the first day that a month has and that isn't over.
    private func firstDay(
        in month: DayPhrase.Month, _ find: (CivilDate) -> CivilDate?
    ) throws(DateParserError) -> Int {
        let first = CivilDate(year: today.year, month: today.month, day: 1)
        let months: [CivilDate]
        let isCertain: Bool
        switch month {
        case .nearest:
            months = (0..<Self.mostYears * 12).map { first.addingMonths($0) }
            isCertain = false
        case .relative(let count):
            months = [first.addingMonths(count)]
            isCertain = true
        case .named(let number, let year):
            let years = year.map { $0...$0 } ?? today.year...today.year + Self.mostYears
            months = years.map { CivilDate(year: $0, month: number, day: 1) }
            isCertain = year != nil
        }
        for month in months {
            if let date = find(month), isCertain || isAhead(date.days) { return date.days }
        }
        throw .noSuchDay(words: words)
    }

    /// Returns the first, second or last (-1) of a weekday in a month; nil if the month doesn't have it.
    private static func day(_ ordinal: Int, _ weekday: Weekday, in first: CivilDate) -> CivilDate? {
        let length = first.daysInMonth
        let earliest = 1 + (weekday.rawValue - first.weekday.rawValue + 7) % 7
        let last = earliest + (length - earliest) / 7 * 7
        let day = ordinal < 0 ? last : earliest + 7 * (ordinal - 1)
        return day <= length ? CivilDate(year: first.year, month: first.month, day: day) : nil
    }
}
