/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    /// The year; the year before 1 is 0.
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// Creates a day, which need not exist.
    package init(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    // Both conversions are from https://howardhinnant.github.io/date_algorithms.html. Years begin in March, so that a leap
    // day is the last day.

    /// Creates the day that is a number of days after 1 January 1970.
    package init(days: Int) {
        let shifted = days + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970.
    package var days: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedDown(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week.
    package var weekday: Weekday { Weekday(days: days) }

    /// Whether the calendar has this day: there is no 30 February.
    package var exists: Bool { 1...12 ~= month && 1...31 ~= day && CivilDate(days: days) == self }

    /// The number of days of the month.
    package var daysInMonth: Int {
        let first = CivilDate(year: year, month: month, day: 1)
        return first.addingMonths(1).days - first.days
    }

    /// Returns the day a number of months later.
    ///
    /// If that month is too short, it is the month's last day.
    package func addingMonths(_ count: Int) -> CivilDate {
        let months = year * 12 + month - 1 + count
        let newYear = months.dividedDown(by: 12)
        let first = CivilDate(year: newYear, month: months - newYear * 12 + 1, day: 1)
        guard day > 28 else { return CivilDate(year: first.year, month: first.month, day: day) }
        return CivilDate(year: first.year, month: first.month, day: min(day, first.daysInMonth))
    }

    /// The names of the months, from `January`.
    package static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December"
    ]
}
