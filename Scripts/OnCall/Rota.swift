import FoundationEssentials
import Heybot
import HeybotDates

/// People who take turns at being on call, and the exceptions.
///
/// Who is on call depends on nothing but the rota, the time and the time zone.
struct Rota: Codable, Hashable, Sendable {
    /// An exception: a person who is on call for a while, out of turn.
    struct Override: Codable, Hashable, Sendable {
        let user: User
        let start: Date
        let end: Date
    }

    /// A time in which one person is on call.
    struct Shift: Hashable, Sendable {
        let user: User
        let start: Date
        /// Nil if nobody else follows.
        var end: Date?
    }

    /// The maximum number of people.
    static let mostPeople = 30
    /// The maximum length of a turn.
    static let mostDays = 366
    /// The maximum number of exceptions that haven't ended.
    static let mostOverrides = 50
    /// The maximum number of changes that are looked at to find shifts.
    private static let mostChanges = 200

    /// The people in the order of their turns.
    var people: [User]
    /// The length of a turn in days.
    var days: Int
    /// When the first person's turn begins.
    ///
    /// Until then that person is on call too.
    var start: LocalMoment
    /// The room whose time zone applies.
    let room: Room.ID
    /// The exceptions; of several at a time, the last one applies.
    var overrides: [Override]

    init(people: [User], days: Int, start: LocalMoment, room: Room.ID, overrides: [Override] = []) {
        (self.people, self.days, self.start, self.room, self.overrides) = (people, days, start, room, overrides)
    }

    /// Whether a person takes turns.
    func has(_ id: User.ID) -> Bool { people.contains { $0.id == id } }

    /// Returns who is on call at a time; nil if the rota has no people.
    func onCall(at date: Date, in zone: IANATimeZone) -> User? {
        let override = overrides.last { $0.start <= date && date < $0.end }
        return override?.user ?? regular(at: date, in: zone)
    }

    /// Returns who would be on call without exceptions.
    func regular(at date: Date, in zone: IANATimeZone) -> User? {
        people.isEmpty ? nil : people[turn(at: date, in: zone) % people.count]
    }

    /// Returns the shifts from a time on, in order.
    ///
    /// If someone stays on call at a handover, that is one shift.
    func shifts(from date: Date, in zone: IANATimeZone, atMost count: Int) -> [Shift] {
        var shifts: [Shift] = []
        var now = date
        for _ in 0..<Self.mostChanges {
            guard let user = onCall(at: now, in: zone) else { return shifts }
            let end = nextChange(after: now, in: zone)
            if var last = shifts.last, last.user.id == user.id {
                last.end = end
                shifts[shifts.count - 1] = last
            } else {
                if shifts.count == count { return shifts }
                shifts.append(Shift(user: user, start: now, end: end))
            }
            now = end
        }
        // The last shift goes on beyond what was looked at.
        if var last = shifts.popLast() {
            last.end = nil
            shifts.append(last)
        }
        return shifts
    }

    /// Returns whom to page: the person on call, and then the others in the order of their turns.
    ///
    /// A person who is replaced by an exception comes last.
    func escalation(at date: Date, in zone: IANATimeZone) -> [User] {
        guard let first = onCall(at: date, in: zone) else { return [] }
        let present = rotated(to: turn(at: date, in: zone))
        let others = present.dropFirst() + present.prefix(1)
        return [first] + others.filter { $0.id != first.id }
    }

    // MARK: Turns

    private var length: Int { min(max(days, 1), Self.mostDays) }

    /// Returns the number of the turn at a time, from 0.
    func turn(at date: Date, in zone: IANATimeZone) -> Int {
        // The brain may have any date. No turn begins after this one.
        let date = min(date, Date(timeIntervalSince1970: 1e12))
        var number = (zone.moment(at: date).days - start.days).dividedDown(by: length)
        // On the day of a handover, the time of day decides.
        while number >= 0, self.date(ofTurn: number, in: zone) > date { number -= 1 }
        while number >= 0, self.date(ofTurn: number + 1, in: zone) <= date { number += 1 }
        return max(number, 0)
    }

    /// Returns the moment at which a turn begins.
    ///
    /// The time of day is always the same, also if daylight saving time begins or ends meanwhile.
    func moment(ofTurn number: Int) -> LocalMoment {
        LocalMoment(days: start.days + number * length, minutes: start.minutes)
    }

    private func date(ofTurn number: Int, in zone: IANATimeZone) -> Date { zone.date(of: moment(ofTurn: number)) }

    /// Returns when the next turn, or an exception, begins or ends.
    private func nextChange(after date: Date, in zone: IANATimeZone) -> Date {
        let handover = self.date(ofTurn: turn(at: date, in: zone) + 1, in: zone)
        let changes = overrides.flatMap { [$0.start, $0.end] }.filter { $0 > date }
        return changes.reduce(handover) { min($0, $1) }
    }

    /// Returns the people in the order of their turns, beginning with the one whose turn has this number.
    func rotated(to turn: Int) -> [User] {
        guard !people.isEmpty else { return [] }
        let index = turn % people.count
        return Array(people[index...] + people[..<index])
    }
}
