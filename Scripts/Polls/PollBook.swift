import FoundationEssentials
import Heybot

extension Polls {
    /// The polls of rooms, in the brain, until their results have been posted.
    struct PollBook: Sendable {
        /// The result of one of a room's last polls, without the votes.
        private struct Outcome: Codable, Hashable, Sendable {
            let number: Int
            let result: String
            let end: Date
        }

        /// The results of a room's last polls; former versions kept one only.
        private struct Outcomes: Codable, Hashable, Sendable {
            var list: [Outcome] = []

            init() {}

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                list = try (try? container.decode([Outcome].self)) ?? [container.decode(Outcome.self)]
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(list)
            }
        }

        private static let rooms = BrainCollection<[Poll]>("polls.rooms")
        private static let outcomes = BrainCollection<Outcomes>("polls.outcomes")
        private static let mostInRoom = 5
        private static let mostNumbers = 999
        /// The maximum number of results of a room that are kept.
        private static let mostOutcomes = 10
        /// The time after the end of a poll in which people who vote learn the result, in seconds.
        private static let lateTime = 7 * 86_400.0

        let brain: Brain

        /// Returns the polls of a room, by number.
        func polls(in room: Room.ID) async throws -> [Poll] {
            try await brain.recall(Self.rooms, room.description) ?? []
        }

        /// Returns the rooms of a network that have an open poll, sorted by id.
        ///
        /// - Parameter number: The poll's number; nil for any.
        func rooms(withOpenPoll number: Int?, on network: String, at date: Date) async throws -> [Room.ID] {
            // The brain may return an entry twice.
            var found: Set<Room.ID> = []
            for try await (key, polls) in brain.entries(Self.rooms) {
                guard let room = Room.ID(key), room.adapter == network else { continue }
                let isMeant = polls.contains { $0.isOpen(at: date) && (number == nil || $0.number == number) }
                if isMeant { found.insert(room) }
            }
            return found.sorted { $0.value < $1.value }
        }

        /// Adds a poll to a room, with the number after the last one, which people may still vote in.
        ///
        /// - Parameter make: Makes the poll with that number.
        /// - Returns: The poll, and whether no other one is open.
        /// - Throws: A ``Refusal`` if the room has too many.
        func add(
            to room: Room.ID, at date: Date, _ make: @Sendable (Int) -> Poll
        ) async throws -> (poll: Poll, isOnly: Bool) {
            // After a week the numbers begin again, unless polls are open.
            let lastNumber = try await outcomes(in: room, at: date).map(\.number).max() ?? 0
            return try await brain.update(Self.rooms, room.description, default: []) { (polls: inout [Poll]) in
                let number = max(lastNumber, polls.map(\.number).max() ?? 0) + 1
                guard polls.count < Self.mostInRoom, number <= Self.mostNumbers else {
                    throw Refusal("\(Self.mostInRoom) polls are open here. End one first, as in: end poll 1")
                }
                let poll = make(number)
                let isOnly = !polls.contains { $0.isOpen(at: date) }
                polls.append(poll)
                polls.sort { $0.number < $1.number }
                return (poll, isOnly)
            }
        }

        /// Changes an open poll of a room atomically.
        ///
        /// - Parameter number: The poll's number; nil for the only open one.
        /// - Returns: The changed poll, and what the change returns.
        /// - Throws: A ``Refusal`` if there is no such poll, or several are open and no number is given.
        func change<Result>(
            _ number: Int?, in room: Room.ID, at date: Date, _ change: @Sendable (inout Poll) throws -> Result
        ) async throws -> (poll: Poll, result: Result) {
            try await brain.update(Self.rooms, room.description) { (stored: inout [Poll]?) in
                var polls = stored ?? []
                let index = try Self.index(of: number, in: polls, at: date)
                let result = try change(&polls[index])
                stored = polls
                return (polls[index], result)
            }
        }

        /// Returns the result of a poll that is over; nil if it isn't, or has been over for more than a week.
        ///
        /// - Parameter number: The poll's number; nil for the room's last one, if none is open.
        func result(_ number: Int?, in room: Room.ID, at date: Date) async throws -> String? {
            func isMeant(_ other: Int) -> Bool { number.map { $0 == other } ?? true }
            let polls = try await polls(in: room).filter { isMeant($0.number) }
            guard !polls.contains(where: { $0.isOpen(at: date) }) else { return nil }
            if let ended = polls.max(by: { $0.end < $1.end }) { return ended.result }
            let outcomes = try await outcomes(in: room, at: date).filter { isMeant($0.number) }
            return outcomes.max { $0.end < $1.end }?.result
        }

        /// Returns the results of a room's polls that ended less than a week ago.
        private func outcomes(in room: Room.ID, at date: Date) async throws -> [Outcome] {
            let stored = try await brain.recall(Self.outcomes, room.description) ?? Outcomes()
            return stored.list.filter { date < $0.end + Self.lateTime }
        }

        /// Removes a poll, and keeps its result.
        func finish(_ id: String, in room: Room.ID) async throws {
            if let poll = try await polls(in: room).first(where: { $0.id == id }) {
                let outcome = Outcome(number: poll.number, result: poll.result, end: poll.end)
                try await brain.update(Self.outcomes, room.description, default: Outcomes()) { (kept: inout Outcomes) in
                    var list = kept.list.filter { other in
                        other.number != outcome.number && outcome.end < other.end + Self.lateTime
                    }
                    list.append(outcome)
                    // Those with the greatest numbers, so that no number is used twice in a week.
                    kept.list = Array(list.sorted { $0.number < $1.number }.suffix(Self.mostOutcomes))
                }
            }
            try await brain.update(Self.rooms, room.description) { (polls: inout [Poll]?) in
                polls?.removeAll { $0.id == id }
                if polls?.isEmpty == true { polls = nil }
            }
        }

        private static func index(of number: Int?, in polls: [Poll], at date: Date) throws(Refusal) -> Int {
            let open = polls.indices.filter { polls[$0].isOpen(at: date) }
            let meant = number.map { number in open.filter { polls[$0].number == number } } ?? open
            if meant.count == 1, let index = meant.first { return index }
            guard !open.isEmpty else {
                throw Refusal("No poll is open here. To start one, say: poll lunch: pizza, curry")
            }
            let list = open.prefix(mostInRoom).map { "\(polls[$0].number) (\(polls[$0].question))" }
            let all = list.joined(separator: ", ")
            if let number { throw Refusal("There is no open poll \(number). Open are: \(all).") }
            throw Refusal(
                "Which poll? Say it as in \"vote 1 in poll 2\" or \"end poll 2\". Open are: \(all).")
        }
    }
}
