import FoundationEssentials

/// A day and a time of day, as clocks show them in some time zone.
///
/// It is written and encoded as text, such as `2026-11-23 09:00`.
struct LocalMoment: Hashable, Comparable, Sendable {
    /// The number of days since 1 January 1970.
    let days: Int
    /// The minutes since midnight, from 0 to 1,439.
    let minutes: Int

    init(days: Int, minutes: Int) {
        (self.days, self.minutes) = (days, minutes)
    }

    static func < (one: LocalMoment, other: LocalMoment) -> Bool {
        (one.days, one.minutes) < (other.days, other.minutes)
    }
}

extension LocalMoment: LosslessStringConvertible {
    /// Parses a text such as `2026-11-23 09:00`; nil if it is invalid.
    init?(_ description: String) {
        let pattern = /([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2})/
        guard description.utf8.count == 16, let match = description.wholeMatch(of: pattern),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4), let minute = Int(match.5), hour < 24, minute < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        self.init(days: date.days, minutes: hour * 60 + minute)
    }

    var description: String {
        let date = CivilDate(days: days)
        let day = "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
        return "\(day) \(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}

extension LocalMoment: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let moment = LocalMoment(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a day and a time such as 2026-11-23 09:00")
        }
        self = moment
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CivilDate {
    /// Whether the calendar has this day: there is no 30 February.
    var exists: Bool { 1...12 ~= month && 1...31 ~= day && CivilDate(days: days) == self }
}

extension IANATimeZone {
    /// Returns what clocks show at a time.
    func moment(at date: Date) -> LocalMoment {
        // Clamped to the years 1 to 33,658.
        let time = Int(min(max(date.timeIntervalSince1970, -62_135_596_800), 1e12).rounded(.down))
        let local = time + offset(at: time).seconds
        let days = local.dividedDown(by: 86_400)
        return LocalMoment(days: days, minutes: (local - days * 86_400) / 60)
    }

    /// Returns the time at which clocks show a moment.
    ///
    /// If they show it twice, because they are set back, it is the first time. If they skip it, because they are set forward, it
    /// is as long after the change as the moment is after the beginning of what is skipped.
    func date(of moment: LocalMoment) -> Date {
        let shown = moment.days * 86_400 + moment.minutes * 60
        // A day earlier and a day later, because the offset at the time itself depends on what is to be found.
        let before = offset(at: shown - 86_400).seconds
        let after = offset(at: shown + 86_400).seconds
        let isAfterChange = offset(at: shown - before).seconds != before && offset(at: shown - after).seconds == after
        return Date(timeIntervalSince1970: Double(shown - (isAfterChange ? after : before)))
    }
}
