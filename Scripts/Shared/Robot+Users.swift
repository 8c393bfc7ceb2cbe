import Heybot

// Who is meant, if somebody names one.

/// How many bytes of a name that somebody typed are looked at.
private let longestName = 400

extension Robot {
    /// Whoever is meant by a name in a message: its author by `me`, else whom the robot knows in that room.
    ///
    /// - Throws: ``Refusal`` if it knows nobody of that name, or several.
    func user(called name: Substring, from message: Message) async throws -> User {
        let name = name.beginning(bytes: longestName)
        if Self.isAsker(name) { return message.user }
        let users = await users(named: name, in: message.room)
        if users.count == 1, let user = users.first { return user }
        let typed = String(oneLine: name, limit: 40)
        guard !users.isEmpty else {
            throw Refusal("I don't know anybody called \(typed). I know whoever is here, or has talked with me.")
        }
        throw Refusal("Which \(typed)? I know \(Self.list(users)).")
    }

    /// Whoever is meant if it matters that it is nobody else: by the id, as `irc:ada` or `ada`, or else by the whole name.
    ///
    /// - Throws: ``Refusal`` if it knows nobody of that name, or several, with their ids.
    func user(exactly name: Substring, from message: Message) async throws -> User {
        let typed = name.beginning(bytes: longestName).drop { $0 == "@" }.lowercased()
        if Self.isAsker(typed) { return message.user }
        let users = await users(in: message.room)
        if let user = users.first(where: { $0.id.description.lowercased() == typed }) { return user }
        // What looks like an id is nobody's name: anybody may be called like somebody else's id.
        let isID = typed.contains("@") || typed.hasPrefix("\(message.room.id.adapter):")
        let named = users.filter {
            $0.id.value.lowercased() == typed || !isID && $0.name.lowercased() == typed
        }
        if named.count == 1, let user = named.first { return user }
        let shown = String(oneLine: name, limit: 40)
        guard !named.isEmpty else { throw Refusal("I don't know anybody called \(shown).") }
        throw Refusal("Which \(shown)? Say \(named.prefix(5).map(\.id.description).joined(separator: " or ")).")
    }

    /// Whether whoever says that means themselves.
    static func isAsker(_ name: some StringProtocol) -> Bool { ["me", "i", "myself"].contains(name.lowercased()) }

    private static func list(_ users: [User]) -> String {
        let areNamedAlike = Set(users.map { $0.name.lowercased() }).count < users.count
        let names = users.prefix(5).map { areNamedAlike ? "\($0.name) (\($0.id))" : $0.name }
        return names.joined(separator: ", ") + (users.count > 5 ? " and others" : "")
    }
}
