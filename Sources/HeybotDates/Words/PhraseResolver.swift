/// Finds out what a phrase means at a time, in a time zone.
struct PhraseResolver {
    let zone: TimeZoneData
    /// In seconds since 1970.
    let now: Int
    /// The minutes since midnight of a day without a time of day.
    let usualMinutes: Int
    /// The words, for errors.
    let words: String
    private let today: CivilDate

    /// Creates a resolver.
    ///
    /// By default today is the day in the time zone.
    init(zone: TimeZoneData, now: Int, usualMinutes: Int, words: String, today: CivilDate? = nil) {
        (self.zone, self.now, self.usualMinutes, self.words) = (zone, now, usualMinutes, words)
        self.today = today ?? CivilDate(days: zone.moment(at: now).days)
    }

    /// A hundred years.
    private static let mostSeconds = 36_525 * 86_400

    /// Returns the time that a phrase means, in seconds since 1970.
    ///
    /// - Throws: A ``DateParserError`` if it is unclear, over, too far away, or on a day that doesn't exist.
    func time(of phrase: OncePhrase) throws(DateParserError) -> Int {
        if let offset = phrase.offset {
            var phrase = phrase
            phrase.offset = nil
            let fixed = TimeZoneData(POSIXTimeZoneRule(offset: offset))
            // "Tomorrow" is the author's, whatever day it is elsewhere.
            let resolver = PhraseResolver(
                zone: fixed, now: now, usualMinutes: usualMinutes, words: words,
                today: phrase.day == nil ? nil : today)
            return try resolver.time(of: phrase)
        }
        let clock = (phrase.clock ?? usualClock(phrase.part)).during(phrase.part)
        let time: Int
        if let duration = phrase.duration {
            let end = try self.time(after: duration)
            if phrase.clock == nil, phrase.part == nil {
                time = end
            } else {
                time = self.time(try secondsOfDay(clock), zone.moment(at: end).days)
            }
        } else if let day = phrase.day {
            time = try self.time(clock, day, phrase.part, hasTime: phrase.clock != nil || phrase.part != nil)
        } else {
            time = try nextTime(clock)
        }
        guard time >= now else { throw over(phrase, time) }
        guard time - now <= Self.mostSeconds else { throw .tooFar(words: words) }
        return time
    }

    private func usualClock(_ part: PartOfDay?) -> ClockPhrase { .exact((part?.usualMinutes ?? usualMinutes) * 60) }

    /// Returns the error for a time that is over; a day or a part of it that isn't needs a time of day.
    private func over(_ phrase: OncePhrase, _ time: Int) -> DateParserError {
        let shown = zone.moment(at: now)
        let isToday = phrase.clock == nil && zone.moment(at: time).days == shown.days
        guard isToday, shown.minutes < phrase.part?.endMinutes ?? 1_440 else { return .past(words: words) }
        return .unclear(words: words, question: "At which time \(words)?")
    }

    // MARK: Lengths of time

    /// Returns the time after a length of time: days at the same time of day, hours exactly.
    private func time(after duration: CalendarDuration) throws(DateParserError) -> Int {
        guard duration.months <= 1_200, duration.days <= 36_525, duration.seconds <= Self.mostSeconds else {
            throw .tooFar(words: words)
        }
        if duration.months == 0, duration.days == 0 { return now + duration.seconds }
        let shown = zone.shownSeconds(at: now)
        let day = today.addingMonths(duration.months).days + duration.days
        return zone.times(ofShown: day * 86_400 + shown - today.days * 86_400).meant + duration.seconds
    }

    // MARK: Times of day

    private func time(_ seconds: Int, _ day: Int) -> Int { zone.times(ofShown: day * 86_400 + seconds).meant }

    /// Returns the next such time of day.
    private func nextTime(_ clock: ClockPhrase) throws(DateParserError) -> Int {
        let options: [Int]
        switch clock {
        case .midnight: options = [0]
        case .exact(let seconds): options = [seconds]
        case .halfDay(let minutes): options = [minutes * 60, (minutes + 720) * 60]
        }
        for day in today.days...today.days + 1 {
            for seconds in options where time(seconds, day) > now {
                if case .halfDay(let minutes) = clock, Self.isAtNight(seconds) { throw whichHalf(minutes) }
                return time(seconds, day)
            }
        }
        throw .past(words: words)
    }

    /// Returns a time of day on a day in words.
    ///
    /// - Parameter hasTime: Whether the words name a time of day, or a part of the day.
    private func time(
        _ clock: ClockPhrase, _ day: DayPhrase, _ part: PartOfDay?, hasTime: Bool
    ) throws(DateParserError) -> Int {
        if case .halfDay(let minutes) = clock, day == .relative(0) {
            // After both, "today at 5" doesn't mean tomorrow.
            guard time((minutes + 720) * 60, today.days) > now else { throw .past(words: words) }
            return try nextTime(clock)
        }
        // "Tonight at 1" is on the next day.
        let isMidnight = clock == .midnight
        let isAtNight = isMidnight || Self.isAtNight(clock)
        let isNextDay = (part == .night && isAtNight) || (isMidnight && day == .relative(0))
        if isMidnight, !isNextDay { throw whichNight }
        let seconds = try secondsOfDay(clock)
        let shift = isNextDay ? 1 : 0
        let resolver = DayResolver(today: today, words: words, hasTime: hasTime) { day in
            self.time(seconds, day + shift) > self.now
        }
        return time(seconds, try resolver.number(of: day) + shift)
    }

    /// Returns the seconds since midnight, as on a clock of 24 hours.
    private func secondsOfDay(_ clock: ClockPhrase) throws(DateParserError) -> Int {
        switch clock {
        case .midnight: return 0
        case .exact(let seconds): return seconds
        case .halfDay(let minutes):
            if Self.isAtNight(minutes * 60) { throw whichHalf(minutes) }
            return minutes * 60
        }
    }

    /// Whether it is before 7:00, when hardly anyone means the morning without saying so.
    private static func isAtNight(_ seconds: Int) -> Bool { seconds < 7 * 3_600 }

    private static func isAtNight(_ clock: ClockPhrase) -> Bool {
        if case .exact(let seconds) = clock { isAtNight(seconds) } else { false }
    }

    private var whichNight: DateParserError {
        .unclear(
            words: words,
            question: "The night at the beginning or at the end of that day? Say it as in: friday at 0:00")
    }

    private func whichHalf(_ minutes: Int) -> DateParserError {
        let (early, late) = (LocalMoment(days: 0, minutes: minutes), LocalMoment(days: 0, minutes: minutes + 720))
        return .unclear(words: words, question: "Do you mean \(early.clock) or \(late.clock)?")
    }

    // MARK: Recurrences

    /// Returns the recurrence that a phrase means, and its first time.
    ///
    /// - Throws: A ``DateParserError`` if it is unclear, too often, or on a day that doesn't exist.
    func recurrence(of phrase: RecurrencePhrase) throws(DateParserError) -> DateReading.Meaning {
        let rule: DayRule
        switch phrase.rule {
        case .unclear(let question): throw .unclear(words: words, question: question)
        case .seconds(let seconds): return try interval(seconds, phrase)
        case .days(let days): rule = days
        case .sameWeekday(let weeks): rule = .weekdays([today.weekday], every: weeks, from: 0)
        case .sameMonthDay(let months): rule = .monthDays([today.day], every: months, from: 0)
        case .sameYearDay(let years): rule = .yearDay(month: today.month, day: today.day, every: years, from: 0)
        }
        let minutes = try minutesOfDay(phrase, rule)
        // The interval is counted from the first day.
        let first = Recurrence.calendar(rule.withoutInterval, minutes: minutes).next(after: now, in: zone)
        guard let first else { throw .noSuchDay(words: words) }
        let counted = rule.counted(from: CivilDate(days: zone.moment(at: first).days))
        return .repeatedly(.calendar(counted, minutes: minutes), first: first)
    }

    private func interval(_ seconds: Int, _ phrase: RecurrencePhrase) throws(DateParserError) -> DateReading.Meaning {
        guard seconds >= 60 else { throw .tooOften(words: words) }
        guard seconds <= 366 * 86_400 else { throw .tooFar(words: words) }
        guard phrase.clocks.isEmpty, phrase.part == nil else {
            throw .unclear(words: words, question: "By the hour, or at a time of day? Say one of them, please.")
        }
        return .repeatedly(.elapsed(seconds: seconds, from: now), first: now + seconds)
    }

    private func minutesOfDay(_ phrase: RecurrencePhrase, _ rule: DayRule) throws(DateParserError) -> [Int] {
        let clocks = phrase.clocks.isEmpty ? [usualClock(phrase.part)] : phrase.clocks
        var minutes: Set<Int> = []
        for clock in clocks {
            let clock = clock.during(phrase.part)
            let isInNight = clock == .midnight || (phrase.part == .night && Self.isAtNight(clock))
            if isInNight, rule != .days(every: 1, from: 0) { throw whichNight }
            let seconds = try secondsOfDay(clock)
            guard seconds.isMultiple(of: 60) else {
                throw .unclear(words: words, question: "I can repeat at whole minutes only. At which one?")
            }
            minutes.insert(seconds / 60)
        }
        return minutes.sorted()
    }
}
