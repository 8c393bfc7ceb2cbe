import Synchronization

/// What users may do: who is an admin, who has which roles, and whom the robot ignores.
final class UserPermissions: Sendable {
    /// The users' roles, and who is ignored, in the brain.
    static let memory = BrainKey<RolesAndIgnoredUsers>("heybot.standings")

    private let rolesAndIgnored = CachedBrainValue(memory, empty: RolesAndIgnoredUsers())
    private let linked = CachedBrainValue(LinkedAccounts.key, empty: LinkedAccounts())
    private let brain: Brain
    private let owners: Mutex<Set<User.ID>>

    /// - Parameter owners: The admins named in the settings.
    init(_ brain: Brain, owners: Set<User.ID>) {
        self.brain = brain
        self.owners = Mutex(owners)
    }

    /// Reads the roles and the linked accounts again: another robot with the same brain may have changed them.
    func load() async throws {
        try await rolesAndIgnored.load(from: brain)
        try await linked.load(from: brain)
    }

    // MARK: Roles

    func set(owners: Set<User.ID>) { self.owners.withLock { $0 = owners } }

    func isOwner(_ user: User) -> Bool { !user.isAnonymous && owners.withLock { $0.contains(user.id) } }

    func isAdmin(_ user: User) -> Bool { roles(of: user).contains(Robot.adminRole) }

    /// The accounts of admins, sorted by id: those named in the settings, and those with the role.
    var admins: [User] {
        let named = owners.withLock { $0 }.map { User(id: $0) }
        let given = known.filter { $0.roles.contains(Robot.adminRole) }.map(\.user)
        let all = (named + given).reduce(into: [User.ID: User]()) { $0[$1.id] = $1 }
        return all.values.sorted { $0.id.description < $1.id.description }
    }

    func roles(of user: User) -> Set<String> {
        if user.isAnonymous { return [] }
        let list = rolesAndIgnored.value
        var roles = list.roles(of: user.id)
        if isOwner(user) { roles.insert(Robot.adminRole) }
        for account in linked.value.accounts(of: user.id) where account.id != user.id {
            roles.formUnion(list.roles(of: account.id))
            if isOwner(account) { roles.insert(Robot.adminRole) }
        }
        return roles
    }

    /// The users who have roles or are ignored.
    var known: [RolesAndIgnoredUsers.Entry] { Array(rolesAndIgnored.value.people.values) }

    /// Gives a role to an account, or revokes it from all accounts of the person.
    func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        // Also if the user isn't verified now: the role is that of the id.
        let accounts = isGiven ? [user] : linkedAccounts(of: user)
        return try await rolesAndIgnored.update(in: brain) { list in
            var isChanged = false
            for account in accounts {
                if try list.set(role.lowercased(), of: account, to: isGiven) { isChanged = true }
            }
            return isChanged
        }
    }

    // MARK: Linked accounts

    /// The accounts of a user: the given one first.
    func accounts(of user: User) -> [User] {
        user.isAnonymous ? [user] : linkedAccounts(of: user)
    }

    /// Returns a user, and the accounts that are linked with the id, even if the user isn't verified.
    private func linkedAccounts(of user: User) -> [User] {
        [user] + linked.value.accounts(of: user.id).filter { $0.id != user.id }
    }

    var hasLinkedAccounts: Bool { !linked.value.people.isEmpty }

    func link(_ one: User, _ other: User) async throws -> Bool {
        try await linked.update(in: brain) { try $0.link(one, other) }
    }

    func unlink(_ id: User.ID) async throws -> Bool {
        try await linked.update(in: brain) { $0.unlink(id) }
    }

    // MARK: Ignoring

    func ignores(_ user: User) -> Bool { rolesAndIgnored.value.ignores(user.id) && !isOwner(user) }

    /// Whether the robot ignores the sender of a message: an ignored user, or an anonymous one who probably is ignored.
    func ignores(senderOf message: Message) -> Bool {
        let list = rolesAndIgnored.value
        return (list.ignores(message.user.id) || list.ignores(message.sender)) && !isOwner(message.user)
    }

    /// Ignores a user with all accounts, or stops that.
    func ignore(_ user: User, _ isIgnored: Bool) async throws -> Bool {
        let accounts = isIgnored ? accounts(of: user) : linkedAccounts(of: user)
        guard !isIgnored || !accounts.contains(where: { isOwner($0) }) else {
            throw Refusal("\(user.name) is one of my admins, so I can't ignore them.")
        }
        return try await rolesAndIgnored.update(in: brain) { list in
            var isChanged = false
            for account in accounts {
                if try list.ignore(account, isIgnored) { isChanged = true }
            }
            return isChanged
        }
    }
}
