import FoundationEssentials
import HeybotDates

/// A time in a time zone, formatted for people.
struct FormattedLocalTime {
    private let date: CivilDate
    private let offset: TimeZoneData.Offset
    /// The time, as in `14:05`.
    let clock: String

    init(_ date: Date, in zone: IANATimeZone) {
        offset = zone.offset(at: date.wholeSeconds)
        let moment = zone.moment(at: date)
        self.date = CivilDate(days: moment.days)
        clock = moment.clock
    }

    /// The zone's abbreviation, as in `CET`, or `UTC+3` if it has no letters.
    var abbreviation: String {
        offset.abbreviation.first?.isLetter == true ? offset.abbreviation : "UTC\(offset.abbreviation)"
    }

    /// The date, as in `Sunday, 22 November`.
    var weekdayAndDate: String { "\(date.weekday.name), \(dayAndMonth)" }

    /// Formats the time relative to now: `14:05`, `yesterday at 14:05`, `Sunday at 14:05`, `22 November at 14:05` or
    /// `22 November 2025`.
    func said(at now: FormattedLocalTime) -> String {
        switch now.date.days - date.days {
        case 0: clock
        case 1: "yesterday at \(clock)"
        case 2...6: "\(date.weekday.name) at \(clock)"
        case 7...180: "\(dayAndMonth) at \(clock)"
        default: "\(dayAndMonth) \(date.year)"
        }
    }

    /// Formats the time relative to now, as part of a sentence: `at 14:05`, `yesterday at 14:05`, `on Sunday at 14:05`,
    /// `on 22 November 2025`.
    func adverb(at now: FormattedLocalTime) -> String {
        switch now.date.days - date.days {
        case 0: "at \(clock)"
        case 1: said(at: now)
        default: "on \(said(at: now))"
        }
    }

    /// Formats a time that is ahead: `at 14:05`, `tomorrow at 14:05`, `on Sunday at 14:05`, `on 22 November at 14:05`, with the
    /// year if that is another one.
    func upcoming(at now: FormattedLocalTime) -> String {
        switch date.days - now.date.days {
        case ...0: "at \(clock)"
        case 1: "tomorrow at \(clock)"
        case 2...6: "on \(date.weekday.name) at \(clock)"
        default: "on \(dayAndMonth)\(date.year == now.date.year ? "" : " \(date.year)") at \(clock)"
        }
    }

    private var dayAndMonth: String { "\(date.day) \(CivilDate.monthNames[date.month - 1])" }
}
