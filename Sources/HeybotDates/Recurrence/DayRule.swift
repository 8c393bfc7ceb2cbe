/// The days on which something recurs.
///
/// If it recurs on every second or third one only, a day, month or year says from which one they are counted.
package enum DayRule: Hashable, Codable, Sendable {
    /// Every so many days.
    case days(every: Int, from: Int)
    /// Weekdays of every so many weeks; `from` is a day of a week. Weeks begin on Monday.
    case weekdays([Weekday], every: Int, from: Int)
    /// Days of every so many months, where -1 is the last one; `from` is a month, as ``month(of:)`` counts them.
    case monthDays([Int], every: Int, from: Int)
    /// The first, second or last of some weekdays in every so many months, where -1 is the last one.
    case weekdaysOfMonth([Int], [Weekday], every: Int, from: Int)
    /// A day of every so many years; `from` is a year.
    case yearDay(month: Int, day: Int, every: Int, from: Int)

    /// The number of a day's month, counted from year 0.
    package static func month(of date: CivilDate) -> Int { date.year * 12 + date.month - 1 }

    /// Whether a day is one of them.
    package func includes(_ date: CivilDate) -> Bool {
        switch self {
        case .days(let every, let from):
            return Self.isOne(date.days, every, from)
        case .weekdays(let weekdays, let every, let from):
            return weekdays.contains(date.weekday) && Self.isOne(Self.week(date.days), every, Self.week(from))
        case .monthDays(let days, let every, let from):
            let isOnDay = days.contains(date.day) || (days.contains(-1) && date.day == date.daysInMonth)
            return isOnDay && Self.isOne(Self.month(of: date), every, from)
        case .weekdaysOfMonth(let ordinals, let weekdays, let every, let from):
            guard weekdays.contains(date.weekday), Self.isOne(Self.month(of: date), every, from) else { return false }
            return ordinals.contains { Self.isNth(date, $0, of: weekdays) }
        case .yearDay(let month, let day, let every, let from):
            return date.month == month && date.day == day && Self.isOne(date.year, every, from)
        }
    }

    /// The same rule with its days counted from another day.
    func counted(from date: CivilDate) -> DayRule {
        switch self {
        case .days(let every, _): .days(every: every, from: date.days)
        case .weekdays(let weekdays, let every, _): .weekdays(weekdays, every: every, from: date.days)
        case .monthDays(let days, let every, _): .monthDays(days, every: every, from: Self.month(of: date))
        case .weekdaysOfMonth(let ordinals, let weekdays, let every, _):
            .weekdaysOfMonth(ordinals, weekdays, every: every, from: Self.month(of: date))
        case .yearDay(let month, let day, let every, _): .yearDay(month: month, day: day, every: every, from: date.year)
        }
    }

    /// The same rule for every day, week, month or year.
    var withoutInterval: DayRule {
        switch self {
        case .days: .days(every: 1, from: 0)
        case .weekdays(let weekdays, _, _): .weekdays(weekdays, every: 1, from: 0)
        case .monthDays(let days, _, _): .monthDays(days, every: 1, from: 0)
        case .weekdaysOfMonth(let ordinals, let weekdays, _, _): .weekdaysOfMonth(ordinals, weekdays, every: 1, from: 0)
        case .yearDay(let month, let day, _, _): .yearDay(month: month, day: day, every: 1, from: 0)
        }
    }

    // A stored rule may have any numbers.
    private static func isOne(_ number: Int, _ every: Int, _ from: Int) -> Bool {
        every <= 1 || (number &- from).isMultiple(of: every)
    }

    /// The number of a day's week.
    ///
    /// 5 January 1970 was a Monday.
    private static func week(_ days: Int) -> Int { (days &- 4).dividedDown(by: 7) }

    /// Whether a day, which is one of some weekdays, is the nth or the last of them in its month.
    private static func isNth(_ date: CivilDate, _ ordinal: Int, of weekdays: [Weekday]) -> Bool {
        let others = ordinal > 0 ? 1..<date.day : date.day + 1..<date.daysInMonth + 1
        let count = others.count { day in
            weekdays.contains(CivilDate(year: date.year, month: date.month, day: day).weekday)
        }
        return count == (ordinal > 0 ? ordinal - 1 : 0)
    }
}
