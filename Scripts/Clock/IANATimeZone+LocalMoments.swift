import FoundationEssentials
import HeybotDates

extension IANATimeZone {
    /// Returns the offset at a time, in seconds since 1970.
    func offset(at time: Int) -> TimeZoneData.Offset { rules.offset(at: time) }

    /// Returns what clocks show at a time.
    func moment(at date: Date) -> LocalMoment { rules.moment(at: date.wholeSeconds) }

    /// Returns the time at which clocks show a moment.
    ///
    /// If they show it twice, because they are set back, it is the first time. If they skip it, because they are set forward, it
    /// is as long after the change as the moment is after the beginning of what is skipped.
    func date(of moment: LocalMoment) -> Date { Date(timeIntervalSince1970: Double(rules.time(of: moment))) }
}

extension Date {
    /// The seconds since 1970, rounded down, and limited to the years that ``TimeZoneData/calculable`` has.
    var wholeSeconds: Int {
        let limits = TimeZoneData.calculable
        return Int(min(max(timeIntervalSince1970, Double(limits.lowerBound)), Double(limits.upperBound)).rounded(.down))
    }
}
