import Heybot

// The points of a person with linked accounts are counted under one name.

extension PlusPlus {
    /// Returns the name under which points for a name are counted; if one user in the room has the name, the user's.
    static func countedName<Match>(_ name: String, _ res: Response<Match>) async throws -> String {
        guard res.robot.hasLinkedAccounts else { return name }
        let named = await res.robot.users(in: res.message.room).filter { Self.name($0.name[...]) == name }
        guard named.count == 1, let user = named.first else { return name }
        return try await countedName(of: user, res) ?? name
    }

    /// Returns the name under which a user's points are counted: that of the first of their linked accounts.
    ///
    /// - Returns: Nil if no points can be counted under it.
    static func countedName<Match>(of user: User, _ res: Response<Match>) async throws -> String? {
        guard res.robot.accounts(of: user).count > 1 else { return name(user.name[...]) }
        let linked = try await res.brain.recall(LinkedAccounts.key)
        return name((linked?.accounts(of: user.id).first ?? user).name[...])
    }
}
