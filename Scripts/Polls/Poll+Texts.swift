import FoundationEssentials
import Heybot

// What the robot says about a poll.

extension Polls.Poll {
    private static let mostNames = 20

    /// The choices with their numbers, a line each.
    private var numberedChoices: [String] { choices.indices.map { "\($0 + 1). \(choices[$0])" } }

    /// Returns what the room learns when the poll begins.
    ///
    /// - Parameters:
    ///   - time: When it ends, formatted.
    ///   - room: The room's name.
    ///   - isOnly: Whether no other poll is open in the room.
    func announcement(until time: String, in room: String, isOnly: Bool) -> String {
        let command = "vote <number>\(isOnly ? "" : " in poll \(number)")"
        let advice = isSecret ? "Tell me in private: \(command) in \(room)" : "Tell me: \(command)"
        let heading = "\(isSecret ? "Secret poll" : "Poll") \(number): \(question)"
        return ([heading] + numberedChoices + ["\(advice). It ends on \(time)."]).joined(separator: "\n")
    }

    /// Returns the choices of an open poll, with the votes so far unless the poll is secret.
    ///
    /// - Parameter time: When it ends, formatted.
    func state(until time: String) -> String {
        let count = votes.count == 1 ? "1 vote" : "\(votes.count) votes"
        let heading = "\(isSecret ? "Secret poll" : "Poll") \(number): \(question) (\(count), until \(time))"
        let lines = choices.indices.map { index in
            let line = "\(index + 1). \(choices[index])"
            let voters = voters(of: index)
            return isSecret || voters.isEmpty ? line : "\(line): \(Self.list(voters))"
        }
        return ([heading] + lines).joined(separator: "\n")
    }

    /// Returns what a user learns about their vote.
    ///
    /// - Parameter former: What they had voted for; nil if it is the first vote.
    func confirmation(of choice: Int, former: Int?) -> String {
        let name = choices[choice]
        guard let former, former != choice, choices.indices.contains(former) else {
            return "Poll \(number): you vote for \(name)."
        }
        return "Poll \(number): you vote for \(name) now, and no longer for \(choices[former])."
    }

    /// The result, for the room.
    var result: String {
        let counts = choices.indices.map { (index: $0, voters: voters(of: $0)) }
        let ranked = counts.sorted { ($1.voters.count, $0.index) < ($0.voters.count, $1.index) }
        let lines = ranked.map { index, voters in
            let names = isSecret || voters.isEmpty ? "" : " (\(Self.list(voters)))"
            return "\(choices[index]): \(voters.count)\(names)"
        }
        let heading = "Poll \(number) is over: \(question)"
        guard let most = ranked.first?.voters.count, most > 0 else { return "\(heading)\nNobody has voted." }
        let winners = ranked.filter { $0.voters.count == most }.map { choices[$0.index] }
        let total = ranked.reduce(0) { $0 + $1.voters.count }
        let votes = total == 1 ? "the only vote" : "\(most) of \(total) votes"
        let outcome =
            winners.count == 1
            ? "\(winners[0]) wins with \(votes)." : "It's a tie: \(winners.joined(separator: ", ")), \(votes) each."
        return ([heading] + lines + [outcome]).joined(separator: "\n")
    }

    private func voters(of choice: Int) -> [User] { votes.filter { $0.choice == choice }.map(\.voter) }

    private static func list(_ voters: [User]) -> String {
        let names = voters.prefix(mostNames).map(\.shortName)
        let rest = voters.count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
