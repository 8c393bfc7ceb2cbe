import Synchronization

/// The users that the robot knows: their roles, whom it ignores, and who recently used it.
final class UserDirectory: Sendable {
    /// The users' roles in the brain.
    static let memory = Memory<UserRoles>("heybot.standings")

    private struct RecentUsers {
        /// The users by id, each with its place in the order of last use.
        var users: [User.ID: (user: User, order: Int)] = [:]
        var count = 0
    }

    private let userRoles = CachedMemory(memory, empty: UserRoles())
    private let brain: Brain
    private let owners: Mutex<Set<User.ID>>
    private let recent = Mutex(RecentUsers())
    private let most: Int

    /// - Parameters:
    ///   - owners: The admins named in the settings.
    ///   - most: The maximum number of recent users.
    init(_ brain: Brain, owners: Set<User.ID>, most: Int = 1_000) {
        (self.brain, self.most) = (brain, most)
        self.owners = Mutex(owners)
    }

    /// Reads the roles again: another robot with the same brain may have changed it.
    func load() async throws { try await userRoles.load(from: brain) }

    // MARK: Roles

    func set(owners: Set<User.ID>) { self.owners.withLock { $0 = owners } }

    func isOwner(_ user: User) -> Bool { !user.isAnonymous && owners.withLock { $0.contains(user.id) } }

    func isAdmin(_ user: User) -> Bool { roles(of: user).contains(Robot.adminRole) }

    func roles(of user: User) -> Set<String> {
        if user.isAnonymous { return [] }
        return userRoles.value.roles(of: user.id).union(isOwner(user) ? [Robot.adminRole] : [])
    }

    var known: [UserRoles.Entry] { Array(userRoles.value.people.values) }

    func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        try await userRoles.update(in: brain) { try $0.set(role.lowercased(), of: user, to: isGiven) }
    }

    // MARK: Ignoring

    func ignores(_ user: User) -> Bool { userRoles.value.ignores(user.id) && !isOwner(user) }

    func ignore(_ user: User, _ isIgnored: Bool) async throws -> Bool {
        guard !isIgnored || !isOwner(user) else { throw Refusal("\(user.name) is my admin, so I can't ignore them.") }
        return try await userRoles.update(in: brain) { try $0.ignore(user, isIgnored) }
    }

    // MARK: Recent users

    /// Records a user whose message matched a listener.
    ///
    /// If there are too many, the least recent half is dropped.
    func recordSeen(_ user: User) {
        recent.withLock { recent in
            recent.count += 1
            recent.users[user.id] = (user, recent.count)
            guard recent.users.count > most else { return }
            // Half of them at once, so that it happens rarely.
            let oldest = recent.users.values.map(\.order).sorted()[most / 2]
            recent.users = recent.users.filter { $0.value.order >= oldest }
        }
    }

    var recentUsers: [User] { recent.withLock { $0.users.values.map(\.user) } }
}
