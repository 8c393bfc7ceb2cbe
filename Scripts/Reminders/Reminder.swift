import FoundationEssentials
import Heybot
import HeybotDates

/// What the robot tells somebody at a time.
struct Reminder: Codable, Hashable, Sendable {
    /// Who gets it, and where.
    enum Destination: Codable, Hashable, Sendable {
        /// Everyone in a room.
        case room(Room)
        /// A person, in a room; in private if it is nil.
        case person(User, room: Room?)

        /// The room in which it is delivered; nil if a person gets it in private.
        var deliveryRoom: Room? {
            switch self {
            case .room(let room): room
            case .person(_, room: let room): room
            }
        }
    }

    /// The maximum number of characters of a text.
    static let longest = 500

    /// The number by which people refer to it.
    let number: Int
    let text: String
    /// The person who asked for it.
    let owner: User
    /// Where an anonymous owner was connected from, who can change the id.
    let origin: User.ID?
    /// The name of the person whom it is from, if that isn't the person who gets it; with the id if it is delivered elsewhere.
    let author: String?
    /// The room in which it was asked for; nil if it is from before that was noted.
    let place: Room.ID?
    var destination: Destination
    /// The name of the time zone of its times.
    let zone: String
    /// How often it recurs; nil if it doesn't.
    var recurrence: Recurrence?
    /// Whether it waits until the person says something.
    var waits: Bool
    /// When it was asked for; nil if it is from before that was noted.
    var asked: Date?

    /// The adapter that delivers it.
    var adapter: String {
        switch destination {
        case .room(let room), .person(_, room: let room?): room.id.adapter
        case .person(let user, room: nil): user.id.adapter
        }
    }

    /// The id of its timer, which needs the adapter.
    var timer: String { "\(adapter):\(number)" }

    /// The person who gets it; nil if everyone in a room does.
    var person: User? {
        if case .person(let user, room: _) = destination { user } else { nil }
    }

    /// Whether nobody but the person may see it.
    var isPrivate: Bool {
        switch destination {
        case .room(let room), .person(_, room: let room?): room.isPrivate
        case .person(_, room: nil): true
        }
    }

    /// Whether it is for everyone in a room.
    func isForAll(in room: Room.ID) -> Bool {
        if case .room(let place) = destination { place.id == room } else { false }
    }

    /// Whether it was asked for in a room, or is delivered there.
    func belongs(to room: Room.ID) -> Bool { place == room || destination.deliveryRoom?.id == room }

    /// Whether one of a person's accounts may see, change and cancel it: as the owner, or as the person who gets it.
    func concerns(_ accounts: [User]) -> Bool {
        accounts.contains { $0.proves(toBe: owner) } || isFor(accounts)
    }

    /// Whether it is for a person who has these accounts.
    func isFor(_ accounts: [User]) -> Bool {
        person.map { person in accounts.contains { $0.proves(toBe: person) } } ?? false
    }

    /// Whether it is from somebody else, whom people call by this name or id.
    func isFrom(_ name: String) -> Bool {
        guard let author = author?.lowercased() else { return false }
        let name = name.lowercased()
        // The id may follow in parentheses.
        if author == name || author.hasPrefix("\(name) (") { return true }
        return [owner.id.value, owner.id.description].contains { $0.lowercased() == name }
    }

    /// Those under whom it is listed.
    var subjects: [TimerDirectory.Subject] {
        var subjects: [TimerDirectory.Subject] = [.user(owner.id), .hundredth(number % 100)]
        if let origin { subjects.append(.origin(origin)) }
        switch destination {
        case .room(let room): subjects.append(.room(room.id))
        case .person(let user, room: _):
            if user.id != owner.id { subjects.append(.user(user.id)) }
        }
        return subjects
    }

    /// Returns the first time after another at which it is due; nil if there is none.
    func next(after date: Date, in zone: IANATimeZone) -> Date? {
        guard let time = recurrence?.next(after: date.wholeSeconds, in: zone.rules) else { return nil }
        return Date(timeIntervalSince1970: Double(time))
    }
}

// MARK: Texts

extension Reminder {
    /// Returns the name of an owner, with the id if that says more: anyone may have the name of somebody else.
    static func nameAndID(of owner: User) -> String {
        if owner.id.value.lowercased() == owner.name.lowercased() { return owner.shortName }
        return "\(owner.shortName) (\(String(oneLine: owner.id.description, limit: 100)))"
    }

    /// Returns what is said when it is due.
    ///
    /// - Parameters:
    ///   - missed: The time for which it was set, if it comes late.
    ///   - asked: When it was asked for, as in `yesterday at 14:05`, if that is said too.
    func message(missed: String? = nil, asked: String? = nil) -> String {
        let origin = author.map { " from \(String(oneLine: $0, limit: 200))" } ?? ""
        let excuse = missed.map { " (That was for \($0); I was away.)" } ?? ""
        let date = asked.map { " (asked \($0))" } ?? ""
        return "Reminder\(origin): \(text)\(excuse)\(date)"
    }

    /// Returns when somebody else asked for it, as in `yesterday at 14:05`; nil if that isn't known, or if it recurs.
    func askedTime(now: Date, in zone: IANATimeZone) -> String? {
        guard author != nil, recurrence == nil, let asked else { return nil }
        return FormattedLocalTime(asked, in: zone).adverb(at: FormattedLocalTime(now, in: zone))
    }

    /// Returns whom it is for, as in `you`, `ada` or `#dev`, followed by `in private` if that needs to be said.
    ///
    /// - Parameters:
    ///   - accounts: The accounts of the person who reads it.
    ///   - room: The room in which the person reads it.
    func recipient(readBy accounts: [User], in room: Room, _ robot: Robot) -> String {
        switch destination {
        case .room(let place):
            return place.id == room.id ? "this room" : String(oneLine: robot.displayName(of: place.id), limit: 100)
        case .person(let user, room: let place):
            let isReader = accounts.contains { $0.proves(toBe: user) }
            let isElsewhere = user.id.adapter != room.id.adapter
            let name = isReader ? "you" : isElsewhere ? Self.nameAndID(of: user) : user.shortName
            if isPrivate { return isReader && room.isPrivate ? name : "\(name) in private" }
            guard let place, place.id != room.id else { return name }
            return "\(name) in \(String(oneLine: robot.displayName(of: place.id), limit: 100))"
        }
    }

    /// Returns when it is due, as in `tomorrow at 09:00 (CET)` or `every weekday at 09:30 (CET), next on Monday at 09:30`.
    ///
    /// - Parameters:
    ///   - date: The next time; nil if it waits for the person already.
    ///   - zone: The zone of its times.
    ///   - reader: The zone of the person who reads it; nil if it is the same.
    ///   - ordinal: What that time is among those of a recurrence: `first` or `next`.
    func time(
        _ date: Date?, now: Date, in zone: IANATimeZone, readIn reader: IANATimeZone? = nil, ordinal: String = "next"
    ) -> String {
        let back = waits ? "when they are back" : nil
        guard let date else { return back ?? "as soon as I see them" }
        let local = reader ?? zone
        let next = FormattedLocalTime(date, in: local)
        let moment = next.upcoming(at: FormattedLocalTime(now, in: local))
        let due: String
        if let recurrence {
            let own = FormattedLocalTime(date, in: zone).abbreviation
            let note = own == next.abbreviation ? "" : " (\(next.abbreviation))"
            due = "\(recurrence) (\(own)), \(ordinal) \(moment)\(note)"
        } else {
            due = "\(moment) (\(next.abbreviation))"
        }
        return due + (back.map { ", \($0)" } ?? "")
    }
}
