import FoundationEssentials
import Heybot
import HeybotDates

/// How often something recurs, on the clocks of a time zone; it can be stored with a timer.
struct ZonedRecurrence: Codable, Hashable, Sendable {
    private let recurrence: Recurrence
    /// The name of the time zone.
    ///
    /// Its rules are read again each time, because they may have changed.
    private let zone: String

    /// Parses words such as `every weekday at 9:30`.
    ///
    /// - Throws: A ``Refusal`` with a question.
    init(_ words: some StringProtocol, in zone: IANATimeZone, at date: Date) throws(Refusal) {
        let reading: DateReading
        do throws(DateParserError) {
            reading = try DateParser(zone: zone.rules).parse(String(words), now: date.wholeSeconds)
        } catch {
            throw Refusal(error.description)
        }
        guard case .repeatedly(let recurrence, _) = reading.meaning else {
            throw Refusal("How often? Say it as in: every weekday at 9:30.")
        }
        self.recurrence = recurrence
        self.zone = zone.name
    }

    /// The time zone, or the machine's if there is none with that name any more.
    var timeZone: IANATimeZone { IANATimeZone(named: zone) ?? IANATimeZone.ofSystem }

    /// Returns the first time after a date; nil if there is none.
    func next(after date: Date) -> Date? { recurrence.next(after: date, in: timeZone) }

    /// The recurrence in words, such as `every weekday at 09:30`.
    var description: String { recurrence.description }
}

extension Recurrence {
    /// Returns the first time after a date; nil if there is none.
    func next(after date: Date, in zone: IANATimeZone) -> Date? {
        next(after: date.wholeSeconds, in: zone.rules).map { Date(timeIntervalSince1970: Double($0)) }
    }
}
