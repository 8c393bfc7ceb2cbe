import Heybot

/// The accounts of one person on several networks, in the brain; all scripts look them up here.
///
/// Two accounts belong to one person if they are linked with a code (``Accounts``), or if a message from each has named the
/// other (``OnCall``). So nobody gets another person's pages. Only accounts that are linked with a code share their roles. An
/// anonymous user has only one account, because anyone can take a nick.
struct PersonalAccounts: Sendable {
    /// By user id, the other accounts that the user has named.
    private static let claims = BrainCollection<[User]>("oncall.accounts")
    private static let most = 5

    let brain: Brain

    /// Returns the accounts of a user, the given one first.
    func all(of user: User) async throws -> [User] {
        var accounts = [user]
        if user.isAnonymous { return accounts }
        let linked = try await brain.recall(LinkedAccounts.key) ?? LinkedAccounts()
        accounts += linked.accounts(of: user.id).filter { $0.id != user.id }
        let known = Set(accounts.map(\.id))
        let claimed = try await brain.recall(Self.claims, user.id.description) ?? []
        for other in claimed where !known.contains(other.id) {
            if try await hasNamed(user, by: other) { accounts.append(other) }
        }
        return accounts
    }

    /// Records that a user has named another account.
    ///
    /// - Returns: Whether the other account has named the user too, so that both belong to one person.
    /// - Throws: A ``Refusal`` if the user is anonymous, or has named too many.
    func link(_ user: User, to other: User) async throws -> Bool {
        try Self.refuseAnonymous(user)
        var other = other
        // Only an authenticated user can name the account in return.
        other.isAnonymous = false
        let account = other
        try await brain.update(Self.claims, user.id.description, default: []) { claims in
            claims.removeAll { $0.id == account.id }
            guard claims.count < Self.most else {
                throw Refusal("I can reach you at \(Self.most) more addresses at most.")
            }
            claims.append(account)
        }
        return try await hasNamed(user, by: account)
    }

    /// Forgets an account that a user has named.
    ///
    /// - Returns: False if the user hasn't named it.
    /// - Throws: A ``Refusal`` if the user is anonymous.
    func unlink(_ user: User, from id: User.ID) async throws -> Bool {
        try Self.refuseAnonymous(user)
        return try await brain.update(Self.claims, user.id.description) { claims in
            guard let known = claims, known.contains(where: { $0.id == id }) else { return false }
            let rest = known.filter { $0.id != id }
            claims = rest.isEmpty ? nil : rest
            return true
        }
    }

    private static func refuseAnonymous(_ user: User) throws(Refusal) {
        guard user.isAnonymous else { return }
        throw Refusal("I can't verify who you are. Log in to your account on \(user.id.adapter), and say it again.")
    }

    private func hasNamed(_ user: User, by other: User) async throws -> Bool {
        let claims = try await brain.recall(Self.claims, other.id.description) ?? []
        return claims.contains { $0.id == user.id }
    }
}

extension User {
    /// Whether this user, the author of a message, is a recorded person.
    ///
    /// An anonymous user isn't the authenticated one who had the same id.
    func proves(toBe person: User) -> Bool { id == person.id && (!isAnonymous || person.isAnonymous) }
}
