import Synchronization

/// What users may do: who is an admin, who has which roles, and whom the robot ignores.
final class UserPermissions: Sendable {
    /// The users' roles, and who is ignored, in the brain.
    static let memory = BrainKey<RolesAndIgnoredUsers>("heybot.standings")

    private let rolesAndIgnored = CachedBrainValue(memory, empty: RolesAndIgnoredUsers())
    private let brain: Brain
    private let owners: Mutex<Set<User.ID>>

    /// - Parameter owners: The admins named in the settings.
    init(_ brain: Brain, owners: Set<User.ID>) {
        self.brain = brain
        self.owners = Mutex(owners)
    }

    /// Reads the roles again: another robot with the same brain may have changed it.
    func load() async throws { try await rolesAndIgnored.load(from: brain) }

    // MARK: Roles

    func set(owners: Set<User.ID>) { self.owners.withLock { $0 = owners } }

    func isOwner(_ user: User) -> Bool { !user.isAnonymous && owners.withLock { $0.contains(user.id) } }

    func isAdmin(_ user: User) -> Bool { roles(of: user).contains(Robot.adminRole) }

    func roles(of user: User) -> Set<String> {
        if user.isAnonymous { return [] }
        return rolesAndIgnored.value.roles(of: user.id).union(isOwner(user) ? [Robot.adminRole] : [])
    }

    /// The users who have roles or are ignored.
    var known: [RolesAndIgnoredUsers.Entry] { Array(rolesAndIgnored.value.people.values) }

    func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        try await rolesAndIgnored.update(in: brain) { try $0.set(role.lowercased(), of: user, to: isGiven) }
    }

    // MARK: Ignoring

    func ignores(_ user: User) -> Bool { rolesAndIgnored.value.ignores(user.id) && !isOwner(user) }

    /// Whether the robot ignores the sender of a message: an ignored user, or an anonymous one who probably is ignored.
    func ignores(senderOf message: Message) -> Bool {
        let list = rolesAndIgnored.value
        return (list.ignores(message.user.id) || list.ignores(message.sender)) && !isOwner(message.user)
    }

    func ignore(_ user: User, _ isIgnored: Bool) async throws -> Bool {
        guard !isIgnored || !isOwner(user) else {
            throw Refusal("\(user.name) is one of my admins, so I can't ignore them.")
        }
        return try await rolesAndIgnored.update(in: brain) { try $0.ignore(user, isIgnored) }
    }
}
