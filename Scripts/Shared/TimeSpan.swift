/// A length of time that a user names: a minute to 90 days.
struct TimeSpan: Hashable, CustomStringConvertible {
    /// The longest time, for people.
    static let longest = "90 days"
    private static let most = 90 * 24 * 60

    private let minutes: Int

    var seconds: Double { Double(minutes) * 60 }

    /// Parses a time such as `30m`, `2 hours` or `1d 12h`; nil if it is invalid, too short or too long.
    init?(_ text: Substring) {
        var rest = text.lowercased()[...]
        var total = 0
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: /\s*(?:and )?(?<number>[0-9]{1,6}) ?(?<unit>[a-z]+)/),
                let number = Int(match.number), let unit = Self.minutes(in: match.unit)
            else { return nil }
            total += number * unit
            rest = rest[match.range.upperBound...]
        }
        guard 1...Self.most ~= total else { return nil }
        minutes = total
    }

    private static func minutes(in unit: Substring) -> Int? {
        switch unit {
        case "m", "min", "mins", "minute", "minutes": 1
        case "h", "hr", "hrs", "hour", "hours": 60
        case "d", "day", "days": 24 * 60
        case "w", "week", "weeks": 7 * 24 * 60
        default: nil
        }
    }

    /// The time, as in `1 day 12 hours`.
    var description: String {
        let parts = [(minutes / 1_440, "day"), (minutes / 60 % 24, "hour"), (minutes % 60, "minute")]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
    }
}
