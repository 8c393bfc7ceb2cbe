import Heybot

// Finds the room whose poll a command means.

extension Polls {
    /// The maximum number of rooms in a question.
    private static let mostNamed = 5

    /// Returns the room that a command names, or else the message's own; in private, the only room of the user that has
    /// an open poll.
    ///
    /// - Parameters:
    ///   - number: The number of the poll that is meant; nil if the command has none.
    ///   - command: An example of the command without the room.
    /// - Throws: A ``Refusal`` if the user has to name a room, or to write more of its name, or is neither an admin nor
    ///   seen in the room.
    static func room<Match>(
        _ typed: Substring?, poll number: Int? = nil, for command: String, _ res: Response<Match>
    ) async throws -> Room.ID {
        let here = res.message.room
        guard let typed else {
            guard res.robot.isConversation(here) else { return here.id }
            return try await onlyRoom(withPoll: number, for: command, res)
        }
        let name = typed.beginning(bytes: 400)
        let room = res.robot.room(named: name, from: here)
        if room == here.id { return room }
        let unseen = Refusal("I don't see you in \(String(oneLine: typed, limit: 60)).")
        // With linked accounts, one person could vote on each network.
        guard room.adapter == here.id.adapter else { throw unseen }
        if await res.robot.isIn(Room(id: room)) != true {
            let meant = try await rooms(withShortName: String(name), res)
            if meant.count == 1, let room = meant.first { return room }
            if !meant.isEmpty { throw question(about: meant, for: command, res) }
        }
        do {
            try await res.robot.refuseStrangers(in: room, from: res.message)
        } catch is Refusal {
            throw unseen
        }
        return room
    }

    /// Returns the only room of the user that has an open poll.
    ///
    /// - Throws: A ``Refusal`` if there is none, or several, with their names.
    private static func onlyRoom<Match>(
        withPoll number: Int?, for command: String, _ res: Response<Match>
    ) async throws -> Room.ID {
        var found = try await rooms(withPoll: number, res)
        // The answer then lists the room's polls.
        if found.isEmpty, number != nil { found = try await rooms(withPoll: nil, res) }
        if found.count == 1, let room = found.first { return room }
        guard !found.isEmpty else {
            throw Refusal(
                "I see you in no room with an open poll. If there is one, name its room, as in: \(command) in <room>")
        }
        throw question(about: found, for: command, res)
    }

    /// Returns the question which of several rooms with open polls is meant.
    private static func question<Match>(
        about rooms: [Room.ID], for command: String, _ res: Response<Match>
    ) -> Refusal {
        let names = rooms.prefix(mostNamed).map { String(oneLine: res.robot.displayName(of: $0), limit: 100) }
        let list = names.joined(separator: ", ")
        let example = "\(command) in \(names.first ?? "<room>")"
        return Refusal("In which room? Polls are open in \(list). Add the room, as in: \(example)")
    }

    /// Returns the rooms of the message's network that have open polls, and in which the user is; for an admin who is
    /// in none of them, all that have open polls.
    private static func rooms<Match>(withPoll number: Int?, _ res: Response<Match>) async throws -> [Room.ID] {
        let (message, now) = (res.message, res.robot.date)
        let book = PollBook(brain: res.brain)
        let open = try await book.rooms(withOpenPoll: number, on: message.room.id.adapter, at: now)
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: message.user)
        let network = res.robot.adapter(of: message.room, as: (any MemberListing).self)
        var found: [Room.ID] = []
        for room in open {
            let members = await network?.users(in: Room(id: room)) ?? []
            let isThere = members.contains { member in accounts.contains { $0.proves(toBe: member) } }
            if isThere { found.append(room) }
        }
        return found.isEmpty && res.robot.isAdmin(message.user) ? open : found
    }

    /// Returns those of the user's rooms with open polls that people speak of by a name, such as `dev`.
    static func rooms<Match>(withShortName name: String, _ res: Response<Match>) async throws -> [Room.ID] {
        let name = name.lowercased()
        return try await rooms(withPoll: nil, res).filter { shortName(of: $0) == name }
    }

    /// Returns the name by which people speak of a room, in lower case: `dev` for `#dev` and
    /// `dev@conference.example.org`.
    private static func shortName(of room: Room.ID) -> String {
        room.value.drop { "#&".contains($0) }.prefix { $0 != "@" }.lowercased()
    }
}
