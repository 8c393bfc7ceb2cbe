import FoundationEssentials
import Heybot

extension Feeds {
    /// A feed that a room follows.
    struct Subscription: Codable, Hashable, Sendable {
        /// Identifies the subscription: its state and its timers.
        let id: String
        /// The number in its room, from 1 on.
        let number: Int
        /// The address, which may contain a secret.
        let url: String
        let title: String
        var filter: WordFilter
        /// When new items are posted; nil if they are posted at once.
        var digest: ZonedRecurrence?

        /// The host in the address.
        var host: String { String(oneLine: HTTPRequest(.get, url).host, limit: 100) }

        /// A line for the list of feeds, without the address.
        ///
        /// - Parameter problem: Since when and why the feed can't be read; nil if it can.
        func line(problem: String? = nil) -> String {
            let time = digest.map { ["digest \($0.description)"] } ?? []
            let state = problem.map { [$0] } ?? []
            let details = [host] + filter.description + time + state
            return "\(number). \(title) (\(details.joined(separator: "; ")))"
        }
    }

    /// The words after the address of a feed: `in #dev with swift, linux without ads digest every weekday at 9:00`.
    struct Options: Hashable, Sendable {
        private enum Keyword: String {
            case `in`, with, without, digest
        }

        /// In bytes.
        private static let longest = 1_000
        private static let usualTimes = "every day at 9:00"

        /// The name of the room; nil if the words don't name one.
        let room: String?
        let filter: WordFilter
        /// When new items are posted, in words; nil if at once.
        let times: String?

        /// Parses the words.
        ///
        /// - Throws: A ``Refusal`` that says what is expected.
        init(_ typed: Substring) throws(Refusal) {
            guard typed.utf8.count <= Self.longest else { throw Refusal("That's too long.") }
            var clauses: [(keyword: Keyword, words: [Substring])] = []
            for word in typed.split(whereSeparator: \.isWhitespace) {
                let keyword = Keyword(rawValue: word.lowercased())
                // "Made in Italy" may be a filter; a room is named first.
                let canBegin = keyword != .in || clauses.isEmpty
                if let keyword, canBegin, !clauses.contains(where: { $0.keyword == keyword }) {
                    clauses.append((keyword, []))
                } else if clauses.isEmpty {
                    throw Self.expected
                } else {
                    clauses[clauses.count - 1].words.append(word)
                }
            }
            func words(_ keyword: Keyword) -> String? {
                clauses.first { $0.keyword == keyword }?.words.joined(separator: " ")
            }
            room = words(.in)
            filter = try WordFilter(wanted: words(.with), unwanted: words(.without))
            times = words(.digest).map { $0.isEmpty ? Self.usualTimes : $0 }
            if room?.isEmpty == true { throw Self.expected }
        }

        private static let expected = Refusal(
            "After the address, you can say \"in <room>\", \"with <words>\", \"without <words>\", \"digest <when>\".")
    }
}
