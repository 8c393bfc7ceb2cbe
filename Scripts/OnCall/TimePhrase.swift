import HeybotDates

/// A day, a time of day, or both, as people write them: `friday`, `tomorrow at 9:00`, `24 december`, `2026-12-24 5pm`.
struct TimePhrase: Hashable, Sendable {
    private enum Day: Hashable, Sendable {
        case today, tomorrow
        /// A weekday, from 0 for Sunday; `next` excludes today.
        case weekday(Int, isNext: Bool)
        /// A date; without a year it is the next one.
        case date(year: Int?, month: Int, day: Int)
    }

    /// In bytes.
    private static let longest = 100

    private let day: Day?
    /// The minutes since midnight.
    private let minutes: Int?

    /// Parses a text; nil if it is neither a day nor a time.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longest else { return nil }
        let all = text.lowercased().split { $0.isWhitespace || $0 == "," }
        var words = all.filter { !Self.fillers.contains(String($0)) }[...]
        let day = Self.takeDay(from: &words)
        let minutes = words.isEmpty ? nil : Self.timeOfDay(words.joined())
        guard words.isEmpty || minutes != nil, day != nil || minutes != nil else { return nil }
        (self.day, self.minutes) = (day, minutes)
    }

    /// Returns the first such moment that isn't over.
    ///
    /// It is over nevertheless if the phrase means a certain day in the past.
    ///
    /// - Parameters:
    ///   - usual: The minutes since midnight if the phrase has no time of day.
    ///   - includingToday: Whether a weekday, or a time without a day, may be today if the time is over.
    /// - Returns: Nil if there is no such day.
    func moment(after now: LocalMoment, usual: Int, includingToday: Bool = false) -> LocalMoment? {
        let timeOfDay = minutes ?? usual
        func ahead(_ days: Int) -> LocalMoment { LocalMoment(days: now.days + days, minutes: timeOfDay) }
        switch day {
        case nil: return ahead(includingToday || ahead(0) > now ? 0 : 1)
        case .today: return ahead(0)
        case .tomorrow: return ahead(1)
        case .weekday(let weekday, let isNext):
            let distance = (weekday - CivilDate(days: now.days).weekday.rawValue + 7) % 7
            guard distance == 0 else { return ahead(distance) }
            let isToday = !isNext && (includingToday || ahead(0) > now)
            return ahead(isToday ? 0 : 7)
        case .date(let year, let month, let day):
            let present = CivilDate(days: now.days).year
            // Two leap days are up to eight years apart.
            let years = year.map { $0...$0 } ?? present...present + 8
            for year in years {
                let date = CivilDate(year: year, month: month, day: day)
                guard date.exists, year == self.year || date.days >= now.days else { continue }
                return LocalMoment(days: date.days, minutes: timeOfDay)
            }
            return nil
        }
    }

    /// The year that the phrase names.
    private var year: Int? {
        if case .date(let year, _, _) = day { year } else { nil }
    }

    // MARK: Parsing

    private static let fillers: Set<String> = ["at", "on", "the", "of"]

    private static let weekdays = Weekday.allCases.map { $0.name.lowercased() }

    /// Removes the words of a day from the beginning, and returns the day; nil if they begin with something else.
    private static func takeDay(from words: inout ArraySlice<Substring>) -> Day? {
        guard let first = words.first else { return nil }
        let second = words.dropFirst().first
        if let day = relativeDay(first) {
            words.removeFirst()
            return day
        }
        if let weekday = index(of: first, in: weekdays) {
            words.removeFirst()
            return .weekday(weekday, isNext: false)
        }
        if first == "next", let weekday = second.flatMap({ index(of: $0, in: weekdays) }) {
            words.removeFirst(2)
            return .weekday(weekday, isNext: true)
        }
        if let match = first.wholeMatch(of: /([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})/), let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3)
        {
            words.removeFirst()
            return .date(year: year, month: month, day: day)
        }
        guard let second, let (month, day) = date(first, second) ?? date(second, first) else { return nil }
        words.removeFirst(2)
        var year: Int?
        if let word = words.first, word.wholeMatch(of: /[0-9]{4}/) != nil, let number = Int(word) {
            year = number
            words.removeFirst()
        }
        return .date(year: year, month: month, day: day)
    }

    private static func relativeDay(_ word: Substring) -> Day? {
        switch word {
        case "today": .today
        case "tomorrow": .tomorrow
        default: nil
        }
    }

    /// Returns the date of a day, such as `24` or `24th`, and the name of a month; nil if they are something else.
    private static func date(_ day: Substring, _ month: Substring) -> (month: Int, day: Int)? {
        let months = CivilDate.monthNames.map { $0.lowercased() }
        guard let month = index(of: month, in: months),
            let match = day.wholeMatch(of: /([0-9]{1,2})(?:st|nd|rd|th|\.)?/), let day = Int(match.1)
        else { return nil }
        return (month + 1, day)
    }

    /// Returns the index of a name that a word abbreviates with three letters or more.
    private static func index(of word: Substring, in names: [String]) -> Int? {
        word.utf8.count < 3 ? nil : names.firstIndex { $0.hasPrefix(word) }
    }

    /// Parses a time of day, such as `9:00`, `9`, `5pm` or `noon`.
    private static func timeOfDay(_ text: String) -> Int? {
        if text == "noon" { return 12 * 60 }
        guard let match = text.wholeMatch(of: /([0-9]{1,2})(?:[:.]([0-9]{2}))?(am|pm)?/), var hour = Int(match.1) else {
            return nil
        }
        let minute = match.2.flatMap { Int($0) } ?? 0
        if let half = match.3 {
            guard 1...12 ~= hour else { return nil }
            hour = hour % 12 + (half == "pm" ? 12 : 0)
        }
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }
}
