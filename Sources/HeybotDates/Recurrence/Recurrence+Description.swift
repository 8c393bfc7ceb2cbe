extension Recurrence: CustomStringConvertible {
    /// The recurrence in words, such as `every weekday at 09:30`, which mean the same again when they are parsed.
    package var description: String {
        switch self {
        case .elapsed(let seconds, _): Self.interval(seconds)
        case .calendar(let rule, let minutes): "\(rule.words) at \(Set(minutes).sorted().map(Self.clock).inSentence)"
        case .cron(let expression): "by cron \(expression)"
        }
    }

    private static func clock(_ minutes: Int) -> String { LocalMoment(days: 0, minutes: minutes).clock }

    private static func interval(_ seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (length, unit) = units.first { seconds >= $0.0 && seconds % $0.0 == 0 } ?? (1, "second")
        // "every 2 days" are days of the calendar.
        if length == 86_400 { return every(seconds / 3_600, "hour") }
        return every(seconds / length, unit)
    }

    /// Formats an interval, as in `every day` and `every 2 days`.
    fileprivate static func every(_ count: Int, _ unit: String) -> String {
        count <= 1 ? "every \(unit)" : "every \(count) \(unit)s"
    }
}

extension DayRule {
    /// The days in words, such as `every weekday`.
    fileprivate var words: String {
        switch self {
        case .days(let every, _): Recurrence.every(every, "day")
        case .weekdays(let weekdays, let every, _):
            every <= 1
                ? "every \(Self.names(weekdays))" : "\(Recurrence.every(every, "week")) on \(Self.names(weekdays))"
        case .monthDays(let days, let every, _):
            "\(Recurrence.every(every, "month")) on the \(days.map(Self.day).inSentence)"
        case .weekdaysOfMonth(let ordinals, let weekdays, let every, _):
            "\(Recurrence.every(every, "month")) on the "
                + "\(ordinals.map(Self.ordinal).inSentence) \(Self.names(weekdays))"
        case .yearDay(let month, let day, let every, _):
            "\(Recurrence.every(every, "year")) on \(day) \(Self.month(month))"
        }
    }

    private static func names(_ weekdays: [Weekday]) -> String {
        if Set(weekdays) == Set(Weekday.workdays) { return "weekday" }
        let ordered = weekdays.sorted { $0.daysSinceMonday < $1.daysSinceMonday }
        return ordered.map { $0.name }.inSentence
    }

    private static func day(_ number: Int) -> String { number < 0 ? "last day" : number.ordinal }

    private static func ordinal(_ number: Int) -> String { number < 0 ? "last" : number.ordinal }

    // A stored rule may have any month.
    private static func month(_ number: Int) -> String { CivilDate.monthNames[min(max(number, 1), 12) - 1] }
}

extension [String] {
    /// The texts as part of a sentence, as in `Monday, Wednesday and Friday`.
    package var inSentence: String {
        guard count > 1, let last else { return joined() }
        return "\(dropLast().joined(separator: ", ")) and \(last)"
    }
}
