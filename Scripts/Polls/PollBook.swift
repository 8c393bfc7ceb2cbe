import FoundationEssentials
import Heybot

extension Polls {
    /// The polls of rooms, in the brain, until their results have been posted.
    struct PollBook: Sendable {
        private static let rooms = BrainCollection<[Poll]>("polls.rooms")
        private static let mostInRoom = 5

        let brain: Brain

        /// Returns the polls of a room, by number.
        func polls(in room: Room.ID) async throws -> [Poll] {
            try await brain.recall(Self.rooms, room.description) ?? []
        }

        /// Adds a poll to a room, with the first free number.
        ///
        /// - Parameter make: Makes the poll with that number.
        /// - Returns: The poll, and whether no other one is open.
        /// - Throws: A ``Refusal`` if the room has too many.
        func add(
            to room: Room.ID, at date: Date, _ make: @Sendable (Int) -> Poll
        ) async throws -> (poll: Poll, isOnly: Bool) {
            try await brain.update(Self.rooms, room.description, default: []) { (polls: inout [Poll]) in
                let taken = Set(polls.map(\.number))
                guard let number = (1...Self.mostInRoom).first(where: { !taken.contains($0) }) else {
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

        /// Removes a poll.
        func remove(_ id: String, from room: Room.ID) async throws {
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
            throw Refusal("Which poll? Say it as in \"vote 1 in poll 2\" or \"end poll 2\". Open are: \(all).")
        }
    }
}
