import FoundationEssentials
import Heybot

extension Standup {
    /// The standup of a room: whom the robot asks, and when.
    struct Plan: Codable, Hashable, Sendable {
        static let mostPeople = 20
        /// The time after a standup in which people learn that they are late, in seconds.
        private static let lateTime = 3_600.0

        /// The people who hadn't answered when a standup ended.
        struct Missed: Codable, Hashable, Sendable {
            let end: Date
            let people: [User]

            init(_ round: Round) {
                end = round.end
                people = round.participants.filter { $0.answer == nil }.map(\.person)
            }
        }

        /// Identifies the plan, and its timers.
        let id: String
        let room: Room.ID
        let times: ZonedRecurrence
        private(set) var people: [User]
        /// When the last standup began.
        private(set) var lastStart: Date?
        /// The standup that is going on, or whose answers haven't been posted yet.
        private(set) var round: Round?
        /// Who hadn't answered when the last standup ended.
        private(set) var missed: Missed?
        /// Whether the plan is gone once the answers of the standup have been posted; nil stands for false.
        private(set) var isRemoved: Bool?

        init(id: String, room: Room.ID, times: ZonedRecurrence, people: [User]) {
            (self.id, self.room, self.times, self.people) = (id, room, times, people)
        }

        /// Begins a standup, or continues to ask if it has begun.
        ///
        /// - Parameters:
        ///   - start: Identifies the standup: a robot that tries again passes the same date.
        ///   - end: When it ends if it begins now.
        /// - Returns: Nil if another one is going on, or this one is over.
        mutating func begin(at start: Date, until end: Date) -> Round? {
            if let round { return round.start == start ? round : nil }
            guard lastStart != start else { return nil }
            let begun = Round(start: start, end: end, people: people)
            (round, lastStart) = (begun, start)
            return begun
        }

        /// Changes the standup that began at a date.
        ///
        /// - Returns: The changed one; nil if it is over.
        mutating func change(_ start: Date, _ change: (inout Round) throws -> Void) rethrows -> Round? {
            guard var changed = round, changed.start == start else { return nil }
            try change(&changed)
            round = changed
            return changed
        }

        /// Forgets the standup that began at a date, but not who hadn't answered.
        mutating func finish(_ start: Date) {
            guard let ended = round, ended.start == start else { return }
            missed = Missed(ended)
            round = nil
        }

        /// Ends the standup at a date, unless it has ended, and marks the plan as removed.
        mutating func remove(at date: Date) {
            round?.close(at: date)
            isRemoved = true
        }

        /// Whether the last standup ended less than an hour before a date, and a person hadn't answered.
        ///
        /// - Parameter accounts: The person's accounts.
        func wasMissed(by accounts: [User], at date: Date) -> Bool {
            guard let last = round.map({ Missed($0) }) ?? missed, last.end <= date, date < last.end + Self.lateTime
            else { return false }
            return last.people.contains { person in accounts.contains { $0.proves(toBe: person) } }
        }

        /// Adds a person, who is asked from the next standup on.
        mutating func add(_ person: User) throws(Refusal) {
            guard !has(person) else { throw Refusal("\(person.shortName) is in the standup already.") }
            guard people.count < Self.mostPeople else {
                throw Refusal("A standup can have at most \(Self.mostPeople) people.")
            }
            people.append(person)
        }

        /// Removes a person.
        mutating func remove(_ person: User) throws(Refusal) {
            guard has(person) else { throw Refusal("\(person.shortName) isn't in the standup.") }
            guard people.count > 1 else {
                throw Refusal("\(person.shortName) is the last one. To end it for good, say: remove standup")
            }
            people.removeAll { $0.id == person.id }
        }

        /// Whether one of these accounts is a person of the standup.
        func concerns(_ accounts: [User]) -> Bool {
            people.contains { person in accounts.contains { $0.proves(toBe: person) } }
        }

        private func has(_ person: User) -> Bool { people.contains { $0.id == person.id } }

        /// The names of the people, as in `ada, grace`.
        var names: String { people.map(\.shortName).joined(separator: ", ") }
    }
}
