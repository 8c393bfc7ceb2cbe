/// A day of the week.
package enum Weekday: Int, CaseIterable, Codable, Sendable {
    /// The days from Sunday, which is 0.
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    /// Creates the weekday of the day that is a number of days after 1 January 1970.
    package init(days: Int) {
        self = Self.allCases[(days + 4) - (days + 4).dividedDown(by: 7) * 7]
    }

    /// The name, as in `Monday`.
    package var name: String {
        switch self {
        case .sunday: "Sunday"
        case .monday: "Monday"
        case .tuesday: "Tuesday"
        case .wednesday: "Wednesday"
        case .thursday: "Thursday"
        case .friday: "Friday"
        case .saturday: "Saturday"
        }
    }

    /// Monday to Friday.
    package static let workdays: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday]

    /// Saturday and Sunday.
    package static let weekend: [Weekday] = [.saturday, .sunday]

    /// The number of days since Monday.
    package var daysSinceMonday: Int { (rawValue + 6) % 7 }
}
