import Heybot

// Resolves the names of users.

/// The number of bytes of a typed name that are considered.
private let longestName = 400

extension Robot {
    /// Returns the user that a message names: its author for `me`, or else a user that the robot knows in that room.
    ///
    /// - Throws: ``Refusal`` if no user matches, or several do.
    func user(called name: Substring, from message: Message) async throws -> User {
        let name = name.beginning(bytes: longestName)
        if Self.isAsker(name) { return message.user }
        let users = await users(named: name, in: message.room)
        if users.count == 1, let user = users.first { return user }
        let typed = String(oneLine: name, limit: 40)
        guard !users.isEmpty else {
            throw Refusal(
                "I don't know anyone called \(typed). I know the people who are here, or who have talked to me.")
        }
        throw Refusal("Which \(typed)? I know \(Self.list(users)).")
    }

    /// Returns the user with exactly this id, such as `irc:ada` or `ada`, or else with exactly this name.
    ///
    /// - Throws: ``Refusal`` if no user matches, or several do, with their ids.
    func user(exactly name: Substring, from message: Message) async throws -> User {
        let typed = name.beginning(bytes: longestName).drop { $0 == "@" }.lowercased()
        if Self.isAsker(typed) { return message.user }
        let users = await users(in: message.room)
        if let user = users.first(where: { $0.id.description.lowercased() == typed }) { return user }
        // A text that looks like an id isn't compared with names: anyone can take another user's id as a name.
        let isID = typed.contains("@") || typed.hasPrefix("\(message.room.id.adapter):")
        let matching = users.filter {
            $0.id.value.lowercased() == typed || !isID && $0.name.lowercased() == typed
        }
        let named = await withoutFormerNamesakes(matching, in: message.room)
        if named.count == 1, let user = named.first { return user }
        let shown = String(oneLine: name, limit: 40)
        guard !named.isEmpty else { throw Refusal("I don't know anyone called \(shown).") }
        throw Refusal("Which \(shown)? Write \(named.prefix(5).map(\.id.description).joined(separator: " or ")).")
    }

    /// Returns some users without those who are gone, and whose name an authenticated user in the same place has now.
    ///
    /// A network may first show a user by name only, for example after a restart, and then with their account. Ignored
    /// users remain, because somebody may want to listen to them again.
    ///
    /// - Parameter place: The room; if its members aren't known, as in a direct conversation, all rooms of its network
    ///   count.
    func withoutFormerNamesakes(_ users: [User], in place: Room) async -> [User] {
        // Only a network that lists users can tell that somebody is gone.
        guard users.count > 1, let network = adapter(of: place, as: (any MemberListing).self) else { return users }
        let members = await network.users(in: place)
        var present: Set<User.ID> = []
        for user in users {
            if await network.isPresent(user.id) { present.insert(user.id) }
        }
        present.formUnion(members.map(\.id))
        let authenticated = users.filter { user in
            !user.isAnonymous && present.contains(user.id)
                && (members.isEmpty || members.contains { $0.id == user.id })
        }
        let names = Set(authenticated.map { $0.name.lowercased() })
        return users.filter { user in
            !user.isAnonymous || present.contains(user.id) || ignores(user) || !names.contains(user.name.lowercased())
        }
    }

    /// Whether a name means the asker.
    static func isAsker(_ name: some StringProtocol) -> Bool { ["me", "i", "myself"].contains(name.lowercased()) }

    private static func list(_ users: [User]) -> String {
        let areNamedAlike = Set(users.map { $0.name.lowercased() }).count < users.count
        let names = users.prefix(5).map { areNamedAlike ? "\($0.name) (\($0.id))" : $0.name }
        return names.joined(separator: ", ") + (users.count > 5 ? " and others" : "")
    }
}
