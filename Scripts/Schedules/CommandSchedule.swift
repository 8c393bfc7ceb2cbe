import FoundationEssentials
import Heybot
import HeybotDates

/// A command that the robot runs at a time, with its owner's rights.
struct CommandSchedule: Codable, Hashable, Sendable {
    /// The maximum length of a command, in bytes.
    static let longest = 1_000

    /// The number by which people refer to it.
    let number: Int
    /// The command, without the robot's name.
    var command: String
    let owner: User
    /// Where an anonymous owner was connected from, who can change the id.
    var origin: User.ID?
    /// The room in which it runs.
    let room: Room
    /// The name of the time zone of its times.
    let zone: String
    /// How often it runs; nil if it runs once.
    let recurrence: Recurrence?
    /// Whether the room knows that the owner may not use the command any more.
    var isRefused = false

    /// The id of its timer, which needs the room's adapter.
    var timer: String { "\(room.id.adapter):\(number)" }

    /// Those under whom it is listed.
    var subjects: [TimerDirectory.Subject] {
        var subjects: [TimerDirectory.Subject] = [.user(owner.id), .room(room.id), .hundredth(number % 100)]
        if let origin { subjects.append(.origin(origin)) }
        return subjects
    }

    /// The command, for an answer.
    var shownCommand: String { String(oneLine: command, limit: 100) }

    /// Returns the first time after another at which it runs; nil if there is none.
    func next(after date: Date, in zone: IANATimeZone) -> Date? {
        guard let time = recurrence?.next(after: date.wholeSeconds, in: zone.rules) else { return nil }
        return Date(timeIntervalSince1970: Double(time))
    }

    /// Returns the command as a message of its owner.
    ///
    /// - Parameters:
    ///   - room: The room as it is now.
    ///   - name: The owner's present name; nil if the network doesn't show the owner.
    func message(in room: Room, name: String? = nil, at date: Date) -> Message {
        var user = owner
        user.name = name ?? owner.name
        let seconds = Int(date.timeIntervalSince1970)
        return Message(
            id: Message.ID(adapter: room.id.adapter, value: "schedule-\(number)-\(seconds)"), user: user, room: room,
            content: .text(command), time: date, isAddressed: true)
    }

    /// Returns when it runs, as in `tomorrow at 09:00 (CET)` or `every weekday at 09:30 (CET), next on Monday at 09:30`.
    func time(_ date: Date, now: Date, in zone: IANATimeZone, ordinal: String = "next") -> String {
        let next = FormattedLocalTime(date, in: zone)
        let moment = next.upcoming(at: FormattedLocalTime(now, in: zone))
        guard let recurrence else { return "\(moment) (\(next.abbreviation))" }
        return "\(recurrence) (\(next.abbreviation)), \(ordinal) \(moment)"
    }
}

/// A command with the room in which it runs, as people write it: `weather in Rome in #dev`.
struct PlacedCommand: Hashable, Sendable {
    let command: Substring
    /// The room's name; nil for the room in which the command is given.
    let room: Substring?

    /// - Parameter networks: The names of the robot's adapters, for rooms such as `irc:#dev`.
    init(_ typed: Substring, networks: [String]) {
        let (first, last) = Self.split(typed)
        guard let last, let first, Self.isRoom(last, networks) else {
            (command, room) = (typed, nil)
            return
        }
        let (start, word) = Self.split(first)
        guard let start, word?.lowercased() == "in" else {
            (command, room) = (typed, nil)
            return
        }
        (command, room) = (start, last)
    }

    /// Whether a word is a room's name, such as `#dev` or `xmpp:dev@conference.example.org`, and nothing else.
    ///
    /// - Parameter networks: The names of the robot's adapters.
    static func isRoom(_ name: Substring, _ networks: [String]) -> Bool {
        guard name.utf8.count > 1 else { return false }
        if name.hasPrefix("#") || name.hasPrefix("&") { return true }
        return Room.ID(String(name)).map { networks.contains($0.adapter) } ?? false
    }

    /// Splits a text before its last word; the results are nil if it has only one, or is longer than any command.
    private static func split(_ text: Substring) -> (before: Substring?, last: Substring?) {
        guard text.utf8.count <= CommandSchedule.longest + 500,
            let space = text.lastIndex(where: { $0.isWhitespace })
        else { return (nil, nil) }
        var before = text[..<space]
        while before.last?.isWhitespace == true { before.removeLast() }
        return before.isEmpty ? (nil, nil) : (before, text[text.index(after: space)...])
    }
}
