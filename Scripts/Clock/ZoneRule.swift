/// A time zone's rule for every year, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636 section 3.3.1).
struct ZoneRule: Sendable {
    /// A day of each year, and a time of that day.
    private enum Day: Sendable {
        /// The week is 1 to 5, if 5 is the last; Sunday is weekday 0.
        case weekday(month: Int, week: Int, weekday: Int)
        /// 1 to 365; 29 February isn't counted.
        case fixed(Int)
        /// 0 to 365; 29 February is counted.
        case counted(Int)
    }

    private struct Summer: Sendable {
        let offset: ZoneRules.Offset
        let start, end: (day: Day, seconds: Int)
    }

    private let standard: ZoneRules.Offset
    private let summer: Summer?

    /// Universal time.
    static let utc = ZoneRule()

    private init() {
        standard = ZoneRules.Offset(seconds: 0, abbreviation: "UTC")
        summer = nil
    }

    /// Reads a rule; nil if it isn't one.
    init?(_ text: String) {
        let pattern =
            /(?<name>[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>)(?<offset>[+\-]?[0-9:]+)(?:(?<summer>[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>)(?<summerOffset>[+\-]?[0-9:]+)?,(?<start>[^,]+),(?<end>[^,]+))?/
        guard text.utf8.count <= 100, let match = text.wholeMatch(of: pattern),
            let offset = Self.seconds(match.offset)
        else { return nil }
        // West of Greenwich is positive there.
        standard = ZoneRules.Offset(seconds: -offset, abbreviation: Self.name(match.name))
        guard let name = match.summer, let start = match.start, let end = match.end else {
            summer = nil
            return
        }
        let summerOffset = match.summerOffset.map { Self.seconds($0) } ?? offset - 3_600
        guard let summerOffset, let start = Self.day(start), let end = Self.day(end) else { return nil }
        summer = Summer(
            offset: ZoneRules.Offset(seconds: -summerOffset, abbreviation: Self.name(name)), start: start, end: end)
    }

    /// What holds at a time, in seconds since 1970.
    func offset(at time: Int) -> ZoneRules.Offset {
        guard let summer else { return standard }
        let year = CivilDate(days: (time + standard.seconds).dividedDown(by: 86_400)).year
        let start = Self.time(of: summer.start, in: year) - standard.seconds
        let end = Self.time(of: summer.end, in: year) - summer.offset.seconds
        // South of the equator summer begins late in the year.
        let isSummer = start < end ? start <= time && time < end : !(end <= time && time < start)
        return isSummer ? summer.offset : standard
    }

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
            let next =
                month == 12
                ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
            var day = first.days + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
            if day >= next.days { day -= 7 }
            days = day
        }
        return days * 86_400 + moment.seconds
    }

    private static func name(_ text: Substring) -> String { String(text.filter { $0 != "<" && $0 != ">" }.prefix(10)) }

    /// Hours, minutes and seconds, with a sign or without.
    private static func seconds(_ text: Substring) -> Int? {
        guard let match = text.wholeMatch(of: /([+\-]?)([0-9]{1,3})(?::([0-9]{2}))?(?::([0-9]{2}))?/),
            let hours = Int(match.2), hours <= 167
        else { return nil }
        let seconds = hours * 3_600 + (match.3.flatMap { Int($0) } ?? 0) * 60 + (match.4.flatMap { Int($0) } ?? 0)
        return match.1 == "-" ? -seconds : seconds
    }

    private static func day(_ text: Substring) -> (day: Day, seconds: Int)? {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let day = parts.first, let time = parts.count > 1 ? seconds(parts[1]) : 7_200 else { return nil }
        if let match = day.wholeMatch(of: /M([0-9]{1,2})\.([1-5])\.([0-6])/), let month = Int(match.1), 1...12 ~= month,
            let week = Int(match.2), let weekday = Int(match.3)
        {
            return (.weekday(month: month, week: week, weekday: weekday), time)
        }
        if day.first == "J" { return Int(day.dropFirst()).flatMap { 1...365 ~= $0 ? (.fixed($0), time) : nil } }
        return Int(day).flatMap { 0...365 ~= $0 ? (.counted($0), time) : nil }
    }
}
