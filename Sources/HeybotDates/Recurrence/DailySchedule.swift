/// Minutes of certain days.
struct DailySchedule {
    /// The minutes since midnight, in order.
    let minutes: [Int]
    /// Whether a minute that clocks show twice counts twice, and one that they skip not at all.
    let followsClock: Bool
    /// Whether a day is one of the days.
    let includes: (CivilDate) -> Bool

    /// The number of days that are looked at: a hundred years.
    private static let mostDays = 36_525

    /// Returns the next time after another, in seconds since 1970; nil if there is none in the next hundred years.
    func next(after time: Int, in zone: TimeZoneData) -> Int? {
        let time = TimeZoneData.bounded(time)
        let shown = zone.shownSeconds(at: time)
        guard let next = firstShown(after: shown) else { return nil }
        // If the offset hasn't changed lately and doesn't change until then, it is the offset now.
        let found = time + next - shown
        if let change = zone.nextTransition(after: time - 2 * 86_400), change <= found {
            return firstTime(after: time, from: shown.dividedDown(by: 86_400) - 2, in: zone)
        }
        return found
    }

    /// Returns the first minute after another, in seconds from 1 January 1970, 00:00 on the clock.
    private func firstShown(after shown: Int) -> Int? {
        guard let first = minutes.first else { return nil }
        let today = shown.dividedDown(by: 86_400)
        if includes(CivilDate(days: today)), let minute = minutes.first(where: { today * 86_400 + $0 * 60 > shown }) {
            return today * 86_400 + minute * 60
        }
        for day in today + 1...today + Self.mostDays where includes(CivilDate(days: day)) {
            return day * 86_400 + first * 60
        }
        return nil
    }

    /// Looks at each minute's times, which may not be in the order of the minutes.
    private func firstTime(after time: Int, from day: Int, in zone: TimeZoneData) -> Int? {
        for day in day...day + Self.mostDays where includes(CivilDate(days: day)) {
            var first: Int?
            for minute in minutes {
                for found in times(zone.times(ofShown: day * 86_400 + minute * 60)) where found > time {
                    first = min(first ?? found, found)
                }
            }
            if let first { return first }
        }
        return nil
    }

    private func times(_ times: TimeZoneData.Times) -> [Int] {
        switch times {
        case .twice(let first, let second) where followsClock: [first, second]
        case .skipped where followsClock: []
        default: [times.meant]
        }
    }
}
