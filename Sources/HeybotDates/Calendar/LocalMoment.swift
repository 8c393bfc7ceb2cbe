/// A day and a time of day, as clocks show them in some time zone.
///
/// It is written and encoded as text, such as `2026-11-23 09:00`.
package struct LocalMoment: Hashable, Comparable, Sendable {
    /// The number of days since 1 January 1970.
    package let days: Int
    /// The minutes since midnight, from 0 to 1,439.
    package let minutes: Int

    /// Creates a moment.
    package init(days: Int, minutes: Int) {
        (self.days, self.minutes) = (days, minutes)
    }

    package static func < (one: LocalMoment, other: LocalMoment) -> Bool {
        (one.days, one.minutes) < (other.days, other.minutes)
    }
}

extension LocalMoment: LosslessStringConvertible {
    /// Parses a text such as `2026-11-23 09:00`; nil if it is invalid.
    package init?(_ description: String) {
        let pattern = /([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2})/
        guard description.utf8.count == 16, let match = description.wholeMatch(of: pattern),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4), let minute = Int(match.5), hour < 24, minute < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        self.init(days: date.days, minutes: hour * 60 + minute)
    }

    /// The moment as text, such as `2026-11-23 09:00`.
    package var description: String {
        let date = CivilDate(days: days)
        let year = "\(date.year)"
        let padding = String(repeating: "0", count: max(4 - year.utf8.count, 0))
        return "\(padding)\(year)-\(date.month.twoDigits)-\(date.day.twoDigits) \(clock)"
    }

    /// The time of day, as in `09:00`.
    package var clock: String { "\((minutes / 60).twoDigits):\((minutes % 60).twoDigits)" }
}

extension LocalMoment: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let moment = LocalMoment(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a day and a time such as 2026-11-23 09:00")
        }
        self = moment
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
