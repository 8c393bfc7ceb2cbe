import FoundationEssentials
import Heybot

extension Standup {
    /// One standup: whom the robot asks, and what they answer until it ends.
    struct Round: Codable, Hashable, Sendable {
        /// A person, and what they have answered.
        struct Participant: Codable, Hashable, Sendable {
            let person: User
            /// Whether the robot has tried to ask them.
            var isAsked = false
            /// Whether the question has reached them in private.
            var isReached = false
            /// Nil if they haven't answered yet; empty if they have taken their answer back.
            var answer: String?

            /// The answer to post; nil if there is none.
            var posted: String? { answer?.isEmpty == true ? nil : answer }
        }

        /// The maximum number of characters of an answer.
        static let longestAnswer = 600
        /// The time that people have to add something when everybody has answered, in seconds.
        private static let additionTime = 60.0

        /// When it began, which identifies it.
        let start: Date
        private(set) var end: Date
        private(set) var participants: [Participant]

        init(start: Date, end: Date, people: [User]) {
            (self.start, self.end) = (start, end)
            participants = people.map { Participant(person: $0) }
        }

        /// Whether it takes answers at a date.
        func isOpen(at date: Date) -> Bool { date < end }

        /// Whether there is an answer to post.
        var hasAnswers: Bool { participants.contains { $0.posted != nil } }

        /// The people whom the robot hasn't tried to ask yet.
        var unasked: [User] { participants.filter { !$0.isAsked }.map(\.person) }

        /// The people whom the question hasn't reached in private.
        var unreached: [User] { participants.filter { $0.isAsked && !$0.isReached }.map(\.person) }

        /// Returns the participant with one of these accounts; nil if there is none.
        func participant(_ accounts: [User]) -> Participant? { index(of: accounts).map { participants[$0] } }

        /// Records that the robot has tried to ask a person.
        mutating func recordQuestion(to person: User, isReached: Bool) {
            guard let index = participants.firstIndex(where: { $0.person.id == person.id }) else { return }
            participants[index].isAsked = true
            participants[index].isReached = isReached
        }

        /// Adds to the answer of the person with one of these accounts; what is too long is cut.
        ///
        /// When everybody has answered, the standup ends a minute later.
        ///
        /// - Returns: False if the person isn't asked.
        mutating func add(_ text: String, from accounts: [User], at date: Date) -> Bool {
            guard let index = index(of: accounts) else { return false }
            let former = participants[index].posted.map { "\($0) / " } ?? ""
            participants[index].answer = String(oneLine: former + text, limit: Self.longestAnswer)
            if participants.allSatisfy({ $0.posted != nil }) { end = min(end, date + Self.additionTime) }
            return true
        }

        /// Takes back the answer of the person with one of these accounts.
        ///
        /// - Returns: False if the person isn't asked.
        mutating func withdraw(_ accounts: [User]) -> Bool {
            guard let index = index(of: accounts) else { return false }
            participants[index].answer = ""
            return true
        }

        /// Ends it at a date, unless it has ended.
        mutating func close(at date: Date) { end = min(end, date) }

        /// The answers and the people without one, for the room.
        var report: String {
            let answers = participants.compactMap { participant in
                participant.posted.map { "\(participant.person.shortName): \($0)" }
            }
            let missing = participants.filter { $0.posted == nil }.map(\.person.shortName).joined(separator: ", ")
            guard !answers.isEmpty else { return "Standup: nobody has answered (\(missing))." }
            let end = missing.isEmpty ? [] : ["No answer: \(missing)"]
            return (["Standup:"] + answers + end).joined(separator: "\n")
        }

        /// Who has answered so far, and who hasn't, as a sentence.
        var progress: String {
            let missing = participants.filter { $0.posted == nil }.map(\.person.shortName)
            let count = participants.count - missing.count
            if missing.isEmpty { return "Everybody has answered." }
            let names = missing.joined(separator: ", ")
            return "\(count) of \(participants.count) have answered; I'm waiting for \(names)."
        }

        private func index(of accounts: [User]) -> Int? {
            participants.firstIndex { participant in accounts.contains { $0.proves(toBe: participant.person) } }
        }
    }
}
