/// A POSIX time zone rule, which repeats every year: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636 section 3.3.1).
package struct POSIXTimeZoneRule: Sendable {
    /// A day of the year.
    private enum Day: Sendable {
        /// A weekday of a month. The week is 1 to 5, where 5 is the last one; weekday 0 is Sunday.
        case weekday(month: Int, week: Int, weekday: Int)
        /// Day 1 to 365, not counting 29 February.
        case fixed(Int)
        /// Day 0 to 365, counting 29 February.
        case counted(Int)
    }

    private struct DaylightSaving: Sendable {
        let offset: TimeZoneData.Offset
        let start, end: (day: Day, seconds: Int)
    }

    private let standard: TimeZoneData.Offset
    private let summer: DaylightSaving?

    /// UTC.
    package static let utc = POSIXTimeZoneRule(offset: 0)

    /// Creates a rule with one offset from UTC, in seconds.
    init(offset: Int, abbreviation: String = "UTC") {
        standard = TimeZoneData.Offset(seconds: offset, abbreviation: abbreviation)
        summer = nil
    }

    /// Parses a rule; nil if it is invalid.
    package init?(_ text: String) {
        let pattern =
            /(?<name>[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>)(?<offset>[+\-]?[0-9:]+)(?:(?<summer>[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>)(?<summerOffset>[+\-]?[0-9:]+)?,(?<start>[^,]+),(?<end>[^,]+))?/
        guard text.utf8.count <= 100, let match = text.wholeMatch(of: pattern),
            let offset = Self.seconds(match.offset, mostHours: 24)
        else { return nil }
        // POSIX offsets are positive west of Greenwich.
        standard = TimeZoneData.Offset(seconds: -offset, abbreviation: Self.name(match.name))
        guard let name = match.summer, let start = match.start, let end = match.end else {
            summer = nil
            return
        }
        let summerOffset = match.summerOffset.map { Self.seconds($0, mostHours: 24) } ?? offset - 3_600
        guard let summerOffset, let start = Self.day(start), let end = Self.day(end) else { return nil }
        summer = DaylightSaving(
            offset: TimeZoneData.Offset(seconds: -summerOffset, abbreviation: Self.name(name)), start: start, end: end)
    }

    /// Returns the offset at a time, in seconds since 1970.
    package func offset(at time: Int) -> TimeZoneData.Offset {
        guard let summer else { return standard }
        let time = Self.bounded(time)
        let year = self.year(at: time)
        let start = Self.time(of: summer.start, in: year) - standard.seconds
        let end = Self.time(of: summer.end, in: year) - summer.offset.seconds
        // In the southern hemisphere, daylight saving time begins late in the year.
        let isSummer = start < end ? start <= time && time < end : !(end <= time && time < start)
        return isSummer ? summer.offset : standard
    }

    /// Returns the first beginning or end of daylight saving time after a time, in seconds since 1970; nil if there is none.
    func nextTransition(after time: Int) -> Int? {
        guard let summer else { return nil }
        let time = Self.bounded(time)
        let year = self.year(at: time)
        var next: Int?
        for year in year - 1...year + 2 {
            let start = Self.time(of: summer.start, in: year) - standard.seconds
            let end = Self.time(of: summer.end, in: year) - summer.offset.seconds
            for change in [start, end] where change > time { next = min(next ?? change, change) }
        }
        return next
    }

    private func year(at time: Int) -> Int { CivilDate(days: (time + standard.seconds).dividedDown(by: 86_400)).year }

    /// Limits a time to some 30 million years, which can be calculated with.
    private static func bounded(_ time: Int) -> Int { min(max(time, -1_000_000_000_000_000), 1_000_000_000_000_000) }

    private static func time(of moment: (day: Day, seconds: Int), in year: Int) -> Int {
        let newYear = CivilDate(year: year, month: 1, day: 1).days
        let days: Int
        switch moment.day {
        case .counted(let day): days = newYear + day
        case .fixed(let day):
            let isLeap = CivilDate(year: year + 1, month: 1, day: 1).days - newYear == 366
            days = newYear + day - 1 + (isLeap && day >= 60 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let first = CivilDate(year: year, month: month, day: 1)
            let day = (weekday - first.weekday.rawValue + 7) % 7 + (week - 1) * 7
            days = first.days + (day < first.daysInMonth ? day : day - 7)
        }
        return days * 86_400 + moment.seconds
    }

    private static func name(_ text: Substring) -> String { String(text.filter { $0 != "<" && $0 != ">" }.prefix(10)) }

    /// Parses hours, minutes and seconds with an optional sign.
    private static func seconds(_ text: Substring, mostHours: Int) -> Int? {
        guard let match = text.wholeMatch(of: /([+\-]?)([0-9]{1,3})(?::([0-9]{2}))?(?::([0-9]{2}))?/),
            let hours = Int(match.2), hours <= mostHours
        else { return nil }
        let minutes = match.3.flatMap { Int($0) } ?? 0
        let rest = match.4.flatMap { Int($0) } ?? 0
        guard minutes < 60, rest < 60 else { return nil }
        let seconds = hours * 3_600 + minutes * 60 + rest
        return match.1 == "-" ? -seconds : seconds
    }

    private static func day(_ text: Substring) -> (day: Day, seconds: Int)? {
        let parts = text.split(separator: "/", maxSplits: 1)
        let time = parts.count > 1 ? seconds(parts[1], mostHours: 167) : 7_200
        guard let day = parts.first, let time else { return nil }
        if let match = day.wholeMatch(of: /M([0-9]{1,2})\.([1-5])\.([0-6])/), let month = Int(match.1), 1...12 ~= month,
            let week = Int(match.2), let weekday = Int(match.3)
        {
            return (.weekday(month: month, week: week, weekday: weekday), time)
        }
        if day.first == "J" { return Int(day.dropFirst()).flatMap { 1...365 ~= $0 ? (.fixed($0), time) : nil } }
        return Int(day).flatMap { 0...365 ~= $0 ? (.counted($0), time) : nil }
    }
}
