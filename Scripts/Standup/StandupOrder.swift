import Heybot

extension Standup {
    /// What an admin says to set up a standup: `every weekday at 9:30 in irc:#dev: ada, grace`.
    struct Order: Hashable, Sendable {
        /// In bytes.
        private static let longest = 4_000

        /// How often it is held, in words.
        let times: String
        /// The room's name; nil for the room in which the order is given.
        let room: Substring?
        let names: [Substring]

        /// - Parameter networks: The names of the robot's adapters, for rooms such as `irc:#dev`.
        /// - Throws: A ``Refusal`` if nobody is named.
        init(_ typed: Substring, networks: [String]) throws(Refusal) {
            guard typed.utf8.count <= Self.longest else { throw Refusal("That's too long for a standup.") }
            // The last one, and not the one in 9:30.
            guard let colon = typed.ranges(of: ": ").last else {
                throw Refusal("Say when, and whom I should ask, as in: standup every weekday at 9:30: ada, grace")
            }
            let list = typed[colon.upperBound...].replacing(" and ", with: ",").split(separator: ",")
            names = list.map { $0.unquoted }.filter { !$0.isEmpty }
            let words = typed[..<colon.lowerBound].split(whereSeparator: \.isWhitespace)
            // "In the morning" is a time.
            let index = words.indices.dropLast().first { index in
                words[index].lowercased() == "in" && PlacedCommand.isRoom(words[index + 1], networks)
            }
            if let index {
                room = words[index + 1]
                times = (words[..<index] + words[(index + 2)...]).joined(separator: " ")
            } else {
                room = nil
                times = words.joined(separator: " ")
            }
        }
    }
}
