import FoundationEssentials
import Heybot
import HeybotSupport

extension Polls {
    /// A poll in a room.
    struct Poll: Codable, Hashable, Sendable {
        /// What one person has voted for.
        struct Vote: Codable, Hashable, Sendable {
            /// In a secret poll, a hash of the voter's id stands for the id, and there is no name.
            let voter: User
            /// A hash of what an anonymous voter can't change as easily as a nick; nil if the network doesn't tell.
            var origin: String?
            /// The index of the choice.
            var choice: Int

            /// Whether the same user has given both votes; an anonymous user isn't the authenticated one with the same id.
            func isBySameUser(as other: Vote) -> Bool {
                voter.id == other.voter.id && voter.isAnonymous == other.voter.isAnonymous
            }
        }

        static let choiceCounts = 2...20
        private static let mostVoters = 500

        /// Identifies the poll, and its timer.
        let id: String
        /// The number in its room, from 1 on.
        let number: Int
        let question: String
        let choices: [String]
        /// Whether nobody sees in chat who has voted for what, and the counts only at the end.
        ///
        /// The brain has only hashes of the voters' ids; somebody who can read it can still try known ids.
        let isSecret: Bool
        let author: User
        private(set) var end: Date
        private(set) var votes: [Vote] = []

        /// Creates a poll without votes.
        init(_ order: PollOrder, id: String, number: Int, author: User, end: Date) {
            (self.id, self.number, self.author, self.end) = (id, number, author, end)
            (question, choices, isSecret) = (order.question, order.choices, order.isSecret)
        }

        /// Whether votes count at a date.
        func isOpen(at date: Date) -> Bool { date < end }

        /// Ends the poll at a date, unless it has ended.
        mutating func close(at date: Date) { end = min(end, date) }

        /// Whether a user may end the poll: its author, or an admin.
        func mayBeEnded(by user: User, isAdmin: Bool) -> Bool { isAdmin || user.proves(toBe: author) }

        /// Returns the index of the choice with a number, from 1 on, or else of the choice that is this number.
        func choice(number: Int) throws(Refusal) -> Int {
            if choices.indices.contains(number - 1) { return number - 1 }
            guard let index = choices.firstIndex(of: "\(number)") else {
                throw Refusal("Poll \(self.number) has the choices 1 to \(choices.count).")
            }
            return index
        }

        /// Returns the index of the choice with a name, or else of the only one whose name begins so.
        ///
        /// Case doesn't count, nor do quotes around the name and punctuation at its end.
        func choice(named typed: String) throws(Refusal) -> Int {
            let shown = String(oneLine: typed, limit: 40)
            let advice = "Vote by number, from 1 to \(choices.count)."
            var name = typed[...].unquoted.lowercased()
            while !name.isEmpty {
                if let index = choices.firstIndex(where: { $0.lowercased() == name }) { return index }
                let similar = choices.indices.filter { choices[$0].lowercased().hasPrefix(name) }
                if similar.count == 1, let index = similar.first { return index }
                guard similar.isEmpty else {
                    throw Refusal("Several choices of poll \(number) begin with \(shown). \(advice)")
                }
                guard let last = name.last, ".!?".contains(last) else { break }
                name.removeLast()
            }
            throw Refusal("Poll \(number) has no choice \(shown). \(advice)")
        }

        /// Sets what a user votes for.
        ///
        /// - Parameter origin: The ``Message/origin`` of the user's message.
        /// - Returns: The index of the choice that the user had voted for; nil if it is the first vote.
        /// - Throws: A ``Refusal`` if too many users have voted.
        mutating func vote(for choice: Int, by user: User, from origin: String?) throws(Refusal) -> Int? {
            let origin = user.isAnonymous ? origin.map { digest($0) } : nil
            let vote = Vote(voter: isSecret ? hidden(user) : user, origin: origin, choice: choice)
            if let known = index(ofVoterOf: vote) {
                let former = votes[known].choice
                votes[known] = vote
                // The same person may also have voted from elsewhere.
                let others = votes.indices.filter { $0 != known && votes[$0].isBySameUser(as: vote) }
                for index in others.reversed() { votes.remove(at: index) }
                return former
            }
            guard votes.count < Self.mostVoters else {
                throw Refusal("\(Self.mostVoters) people have voted already, and I can't count more.")
            }
            votes.append(vote)
            return nil
        }

        /// Returns the index of the vote that the same person has given before; nil if they haven't voted yet.
        private func index(ofVoterOf vote: Vote) -> Int? {
            if let origin = vote.origin, let known = votes.firstIndex(where: { $0.origin == origin }) { return known }
            return votes.firstIndex { $0.isBySameUser(as: vote) }
        }

        /// Returns a user with a hash instead of the id, and without a name.
        private func hidden(_ user: User) -> User {
            let id = User.ID(adapter: user.id.adapter, value: digest(user.id.description))
            return User(id: id, name: "", isAnonymous: user.isAnonymous)
        }

        /// Returns a hash of a text, another one in each poll.
        private func digest(_ text: String) -> String {
            let bytes = CryptographicHash.sha256.hash("\(id) \(text)".utf8).prefix(8)
            return String(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, radix: 36)
        }
    }
}
