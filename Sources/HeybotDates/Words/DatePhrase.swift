/// What a phrase says, before it is known what that means at a time.
enum DatePhrase: Hashable {
    case once(OncePhrase)
    case repeatedly(RecurrencePhrase)
}

/// A length of time, of which months and days depend on the calendar.
struct CalendarDuration: Hashable {
    var months = 0
    var days = 0
    var seconds = 0

    static func + (one: CalendarDuration, other: CalendarDuration) -> CalendarDuration {
        CalendarDuration(
            months: one.months + other.months, days: one.days + other.days, seconds: one.seconds + other.seconds)
    }
}

/// A day, a time of day, or both, or a length of time from now.
struct OncePhrase: Hashable {
    var duration: CalendarDuration?
    var day: DayPhrase?
    var clock: ClockPhrase?
    var part: PartOfDay?
    /// The offset from UTC in seconds, if the phrase names one.
    var offset: Int?

    /// Whether the phrase names nothing but a day.
    var isDayOnly: Bool { day != nil && clock == nil && part == nil }

    /// Whether the phrase names nothing but a time of day.
    var isTimeOnly: Bool { clock != nil && day == nil && duration == nil }
}

/// A day in words.
indirect enum DayPhrase: Hashable {
    /// A month that a day belongs to.
    enum Month: Hashable {
        /// The next month that has the day.
        case nearest
        /// A number of months after this one.
        case relative(Int)
        case named(Int, year: Int?)
    }

    /// A number of days after today.
    case relative(Int)
    /// The nearest such weekday, or the one after today if it is `next`.
    case weekday(Weekday, isNext: Bool)
    /// A weekday of a week a number of weeks after this one.
    case weekdayOfWeek(Weekday, weeks: Int)
    /// A day of the month, where -1 is the last one. A weekday has to match.
    case monthDay(Int, Month, Weekday?)
    /// A date; without a year the next one. A weekday has to match.
    case date(year: Int?, month: Int, day: Int, Weekday?)
    /// The first, second or last (-1) of a weekday in a month.
    case weekdayOfMonth(Int, Weekday, Month)
    /// A length of time after a day.
    case after(CalendarDuration, DayPhrase)
    /// Words that mean a time in the past, whenever they are said.
    case past
    /// Words that can mean several days, with a question.
    case unclear(String)
}

/// A time of day in words.
enum ClockPhrase: Hashable {
    /// Seconds since midnight.
    case exact(Int)
    /// Minutes since midnight on a clock of twelve hours, from 1:00 to 11:59.
    case halfDay(Int)
    case midnight
}

extension ClockPhrase {
    /// The same time in a part of the day, as in `8 in the evening`.
    func during(_ part: PartOfDay?) -> ClockPhrase {
        guard let part else { return self }
        switch self {
        case .halfDay(let minutes): return .exact(part.minutes(ofHalfDay: minutes) * 60)
        case .exact(let seconds) where 3_600..<43_200 ~= seconds:
            return .exact(part.minutes(ofHalfDay: seconds / 60) * 60 + seconds % 60)
        // "12 at night" and "12:30 at night".
        case .exact(43_200) where part == .night: return .midnight
        case .exact(let seconds) where 43_200..<46_800 ~= seconds && part == .night: return .exact(seconds - 43_200)
        case .exact, .midnight: return self
        }
    }
}

/// A part of the day, with the time that it means if no other is named.
enum PartOfDay: Hashable {
    case morning, lunch, afternoon, evening, night

    var usualMinutes: Int {
        switch self {
        case .morning: 9 * 60
        case .lunch: 12 * 60
        case .afternoon: 15 * 60
        case .evening, .night: 20 * 60
        }
    }

    /// The minutes since midnight at which this part of the day is over.
    var endMinutes: Int {
        switch self {
        case .morning: 12 * 60
        case .lunch: 14 * 60
        case .afternoon: 18 * 60
        case .evening, .night: 24 * 60
        }
    }

    /// Returns the minutes since midnight of a time on a clock of twelve hours in this part of the day.
    func minutes(ofHalfDay minutes: Int) -> Int {
        switch self {
        case .morning: minutes
        case .lunch: minutes < 10 * 60 ? minutes + 12 * 60 : minutes
        case .afternoon, .evening: minutes + 12 * 60
        // 2 at night is before the morning.
        case .night: minutes < 6 * 60 ? minutes : minutes + 12 * 60
        }
    }
}

/// How often something recurs, in words.
struct RecurrencePhrase: Hashable {
    enum Rule: Hashable {
        case seconds(Int)
        /// On the days of a rule that need no counting from today.
        case days(DayRule)
        /// On this weekday, every so many weeks.
        case sameWeekday(weeks: Int)
        /// On this day of the month, every so many months.
        case sameMonthDay(months: Int)
        /// On this day of the year, every so many years.
        case sameYearDay(years: Int)
        /// Words that can mean several intervals, with a question.
        case unclear(String)
    }

    var rule: Rule
    var clocks: [ClockPhrase] = []
    var part: PartOfDay?

    /// Whether the phrase needs a time of day, and names none.
    var lacksTime: Bool {
        if case .seconds = rule { return false }
        return clocks.isEmpty && part == nil
    }
}
