import FoundationEssentials

/// A time in a time zone, formatted for people.
struct FormattedLocalTime {
    private let date: CivilDate
    /// The minutes since midnight.
    private let minutes: Int
    private let offset: TimeZoneData.Offset

    init(_ date: Date, in zone: IANATimeZone) {
        // Clamped to the years 1 to 33,658.
        let time = Int(min(max(date.timeIntervalSince1970, -62_135_596_800), 1e12).rounded(.down))
        offset = zone.offset(at: time)
        let local = time + offset.seconds
        let days = local.dividedDown(by: 86_400)
        self.date = CivilDate(days: days)
        minutes = (local - days * 86_400) / 60
    }

    /// The time, as in `14:05`.
    var clock: String { "\(Self.twoDigits(minutes / 60)):\(Self.twoDigits(minutes % 60))" }

    /// The zone's abbreviation, as in `CET`, or `UTC+3` if it has no letters.
    var abbreviation: String {
        offset.abbreviation.first?.isLetter == true ? offset.abbreviation : "UTC\(offset.abbreviation)"
    }

    /// The date, as in `Sunday, 22 November`.
    var weekdayAndDate: String { "\(Self.weekdays[date.weekday]), \(dayAndMonth)" }

    /// Formats the time relative to now: `14:05`, `yesterday at 14:05`, `Sunday at 14:05`, `22 November at 14:05` or
    /// `22 November 2025`.
    func said(at now: FormattedLocalTime) -> String {
        switch now.date.days - date.days {
        case 0: clock
        case 1: "yesterday at \(clock)"
        case 2...6: "\(Self.weekdays[date.weekday]) at \(clock)"
        case 7...180: "\(dayAndMonth) at \(clock)"
        default: "\(dayAndMonth) \(date.year)"
        }
    }

    private var dayAndMonth: String { "\(date.day) \(Self.months[date.month - 1])" }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December"
    ]
}
