import Synchronization

/// What the robot knows of people: their roles, whom it ignores, and whom it has met.
final class UserDirectory: Sendable {
    /// How people stand with the robot.
    static let memory = Memory<Standings>("heybot.standings")

    private struct Met {
        /// When each was met last, counted in meetings.
        var users: [User.ID: (user: User, meeting: Int)] = [:]
        var meetings = 0
    }

    private let standings = KeptMemory(memory, empty: Standings())
    private let brain: Brain
    private let owners: Mutex<Set<User.ID>>
    private let met = Mutex(Met())
    private let most: Int

    /// - Parameters:
    ///   - owners: The admins that the settings name.
    ///   - most: How many people it has met are known.
    init(_ brain: Brain, owners: Set<User.ID>, most: Int = 1_000) {
        (self.brain, self.most) = (brain, most)
        self.owners = Mutex(owners)
    }

    /// Reads it again: another robot with the same brain may have changed it.
    func load() async throws { try await standings.load(from: brain) }

    // MARK: Roles

    func set(owners: Set<User.ID>) { self.owners.withLock { $0 = owners } }

    func isOwner(_ user: User) -> Bool { !user.isAnonymous && owners.withLock { $0.contains(user.id) } }

    func isAdmin(_ user: User) -> Bool { roles(of: user).contains(Robot.adminRole) }

    func roles(of user: User) -> Set<String> {
        if user.isAnonymous { return [] }
        return standings.value.roles(of: user.id).union(isOwner(user) ? [Robot.adminRole] : [])
    }

    var known: [Standings.Standing] { Array(standings.value.people.values) }

    func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        try await standings.update(in: brain) { try $0.set(role.lowercased(), of: user, to: isGiven) }
    }

    // MARK: Ignoring

    func ignores(_ user: User) -> Bool { standings.value.ignores(user.id) && !isOwner(user) }

    func ignore(_ user: User, _ isIgnored: Bool) async throws -> Bool {
        guard !isIgnored || !isOwner(user) else { throw Refusal("\(user.name) is my admin: I have to listen.") }
        return try await standings.update(in: brain) { try $0.ignore(user, isIgnored) }
    }

    // MARK: Meeting

    /// Takes note of somebody who said something that a listener takes; the oldest are forgotten.
    func meet(_ user: User) {
        met.withLock { met in
            met.meetings += 1
            met.users[user.id] = (user, met.meetings)
            guard met.users.count > most else { return }
            // Half of them at once, so that it is seldom.
            let oldest = met.users.values.map(\.meeting).sorted()[most / 2]
            met.users = met.users.filter { $0.value.meeting >= oldest }
        }
    }

    var metUsers: [User] { met.withLock { $0.users.values.map(\.user) } }
}
