import Heybot

extension Robot {
    /// Checks that a message's author may have the robot speak in a room: in the message's room, in a room where the author is
    /// now, or as an admin in any.
    ///
    /// - Throws: A ``Refusal`` if not, or if the robot isn't in the room.
    func refuseStrangers(in room: Room.ID, from message: Message) async throws {
        if room == message.room.id { return }
        let shown = String(oneLine: displayName(of: room), limit: 100)
        let place = Room(id: room)
        guard await isIn(place) != false else { throw Refusal("I'm not in \(shown), so I can't speak there.") }
        if isAdmin(message.user) { return }
        let accounts = try await PersonalAccounts(brain: brain).all(of: message.user)
        let members = await adapter(of: place, as: (any MemberListing).self)?.users(in: place) ?? []
        guard accounts.contains(where: { account in members.contains { account.proves(toBe: $0) } }) else {
            throw Refusal("Only those who are in \(shown), and my admins, may have me speak there.")
        }
    }

    /// Returns the room that a text names; nil if it names none that the robot knows, and doesn't begin as a room's name does.
    ///
    /// With the adapter in front, as in `xmpp:dev@conference.example.org`, it may be on another network.
    func knownRoom(named name: Substring, from here: Room) async -> Room.ID? {
        let name = name.beginning(bytes: 400)
        guard !name.isEmpty, name.lowercased() != "here" else { return nil }
        let id = room(named: name, from: here)
        if id.value.hasPrefix("#") || id.value.hasPrefix("&") { return id }
        return await isIn(Room(id: id)) == true ? id : nil
    }

    /// Returns the user that a text names: on the message's network, or else on another one, by id or by the whole name.
    ///
    /// - Throws: A ``Refusal`` if there is none, or several, and what the adapter throws for an invalid id.
    static func user<Match>(onAnyNetwork typed: Substring, _ res: Response<Match>) async throws -> User {
        let name = typed.beginning(bytes: 400).drop { $0 == "@" }.lowercased()
        if isAsker(name) { return res.message.user }
        // Anyone can take an address as a name.
        func isMeant(_ user: User) -> Bool {
            user.id.value.lowercased() == name || !name.contains("@") && user.name.lowercased() == name
        }
        let robot = res.robot
        let isID = User.ID(name).map { id in robot.adapters.contains { $0.name == id.adapter } } ?? false
        let present = await robot.users(in: res.message.room)
        if isID || present.contains(where: isMeant) { return try await OnCall.user(typed, res) }
        var found: [User] = []
        for adapter in robot.adapters where adapter.name != res.message.room.id.adapter {
            let place = Room(id: adapter.id(""))
            let known = await robot.users(in: place)
            found += await robot.withoutFormerNamesakes(known.filter(isMeant), in: place)
        }
        // The robot remembers people for longer than it knows them.
        if found.isEmpty { found = try await reachableUsers(seenAs: String(name), res) }
        guard let user = found.first else { return try await OnCall.user(typed, res) }
        guard found.count == 1 else {
            let ids = found.prefix(5).map { String(oneLine: $0.id.description, limit: 100) }
            throw Refusal("Which \(user.shortName)? Write \(ids.joined(separator: " or ")).")
        }
        return user
    }

    /// Returns the verified users who were seen with a name or an id, in lower case, and whose network the robot is on: those
    /// of the message's network, or else of others.
    private static func reachableUsers<Match>(seenAs name: String, _ res: Response<Match>) async throws -> [User] {
        let networks = res.robot.adapters.map(\.name)
        let users = try await SightingRecords(brain: res.brain).last(of: name, nil).map(\.user).filter { user in
            !user.isAnonymous && networks.contains(user.id.adapter)
        }
        let nearby = users.filter { $0.id.adapter == res.message.room.id.adapter }
        return nearby.isEmpty ? users : nearby
    }
}
