import Heybot

// Who is meant, where somebody names one.

extension Robot {
    /// Whoever is meant by a name in a message: its author by `me`, else whom the robot knows in that room.
    ///
    /// - Throws: ``Refusal`` where it knows nobody of that name, or several.
    func user(called name: Substring, from message: Message) async throws -> User {
        if ["me", "i", "myself"].contains(name.lowercased()) { return message.user }
        let users = await users(named: name, in: message.room)
        if users.count == 1, let user = users.first { return user }
        let typed = String(oneLine: name, limit: 40)
        guard !users.isEmpty else { throw Refusal("I don't know anybody called \(typed).") }
        let names = users.prefix(5).map(\.name).joined(separator: ", ")
        throw Refusal("Who is \(typed)? I know \(names)\(users.count > 5 ? " and others" : "").")
    }
}
