import FoundationEssentials
import Heybot

/// A rota in words, at a time.
struct RotaDescription {
    private static let mostListed = 5

    let name: String
    let rota: Rota
    let date: Date
    let zone: IANATimeZone

    /// A sentence that says who is on call.
    ///
    /// For example: `ada is on call for ops until Monday, 8 January at 09:00 (CET), then grace.`
    var sentence: String {
        let shifts = rota.shifts(from: date, in: zone, atMost: 2)
        guard let now = shifts.first else { return "Nobody is on call for \(name)." }
        guard let end = now.end else { return "\(now.user.shortName) is on call for \(name)." }
        let next = shifts.count > 1 ? ", then \(shifts[1].user.shortName)" : ""
        return "\(now.user.shortName) is on call for \(name) until \(Self.time(end, in: zone))\(next)."
    }

    /// The people and their turns, and the next shifts, a line each.
    var lines: [String] {
        let people = rota.people.map(\.shortName).joined(separator: ", ")
        let clock = FormattedLocalTime(zone.date(of: rota.start), in: zone).clock
        let shifts = rota.shifts(from: date, in: zone, atMost: Self.mostListed).map { shift in
            "\(shift.user.shortName)\(shift.end.map { " until \(Self.time($0, in: zone))" } ?? "")"
        }
        return ["\(name): \(people); handover \(turns) at \(clock)."] + shifts
    }

    private var turns: String {
        switch rota.days {
        case 1: "daily"
        case 7: "weekly"
        case let days where days > 0 && days % 7 == 0: "every \(days / 7) weeks"
        case let days: "every \(days) days"
        }
    }

    /// A time as in `Monday, 8 January at 09:00 (CET)`.
    static func time(_ date: Date, in zone: IANATimeZone) -> String {
        let time = FormattedLocalTime(date, in: zone)
        return "\(time.weekdayAndDate) at \(time.clock) (\(time.abbreviation))"
    }
}

extension User {
    /// The name, safe for chat; the id if there is no name.
    var shortName: String {
        let shown = String(oneLine: name, limit: 60)
        return shown.isEmpty ? String(oneLine: id.value, limit: 60) : shown
    }
}
