// Who is there, and what they may do.

extension Robot {
    /// The role of those who may use what is for admins only.
    public static let adminRole = "admin"

    // MARK: Roles

    /// Whether somebody may use what is for admins only: by the settings, or by the role `admin`.
    ///
    /// Never true of an anonymous user.
    public func isAdmin(_ user: User) -> Bool { users.isAdmin(user) }

    /// Whether the settings say that somebody is an admin; nobody in chat can take that back.
    ///
    /// Never true of an anonymous user.
    public func isOwner(_ user: User) -> Bool { users.isOwner(user) }

    /// The rights of somebody, in lower case; `admin` for the robot's admins.
    ///
    /// Rights need proof: an anonymous user has none, whatever the brain has for that id, since anybody can take a nick.
    public func roles(of user: User) -> Set<String> { users.roles(of: user) }

    /// Everybody of whom the robot was told a role, or to ignore them.
    public var knownStandings: [Standings.Standing] {
        users.known.sorted {
            ($0.user.name, $0.user.id.description) < ($1.user.name, $1.user.id.description)
        }
    }

    /// Gives somebody a role, or takes it back; the brain remembers it, and robots that share it follow within half a
    /// minute.
    ///
    /// - Returns: False if that was so already.
    @discardableResult
    public func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        try await users.set(role: role, of: user, to: isGiven)
    }

    // MARK: Ignoring

    /// Whether the robot listens to nothing that somebody says.
    public func ignores(_ user: User) -> Bool { users.ignores(user) }

    /// Ignores somebody, or listens to them again; the brain remembers it.
    ///
    /// - Returns: False if that was so already.
    /// - Throws: A ``Refusal`` for those whom the settings name as admins.
    @discardableResult
    public func ignore(_ user: User, _ isIgnored: Bool = true) async throws -> Bool {
        try await users.ignore(user, isIgnored)
    }

    // MARK: Who is there

    /// Whom the robot knows in a room: who is there as far as its adapter tells, and those on the same network who lately
    /// said something that a listener takes, or have a role.
    ///
    /// Each once, in the order of their names.
    public func users(in room: Room) async -> [User] {
        let present = await adapter(of: room, as: (any Attendance).self)?.users(in: room) ?? []
        let known = (users.known.map(\.user) + users.metUsers)
            .filter { $0.id.adapter == room.id.adapter }
        let users = (known + present).reduce(into: [User.ID: User]()) { $0[$1.id] = $1 }
        return users.values.sorted { ($0.name, $0.id.value) < ($1.name, $1.id.value) }
    }

    /// Those in a room who may be meant by a name: whose id or name it is, else whose names begin so.
    ///
    /// Neither case nor a `@` in front counts. If somebody gets rights by it, or loses them, that is too little: see that
    /// it is the id.
    public func users(named name: some StringProtocol, in room: Room) async -> [User] {
        let name = name.drop { $0 == "@" }.lowercased()
        guard !name.isEmpty else { return [] }
        let users = await users(in: room)
        let exact = users.filter { $0.name.lowercased() == name || $0.id.value.lowercased() == name }
        let meant = exact.isEmpty ? users.filter { $0.name.lowercased().hasPrefix(name) } : exact
        // Of the same name, whoever is known for sure.
        return meant.filter { user in
            !user.isAnonymous || !meant.contains { $0.name == user.name && !$0.isAnonymous }
        }
    }
}
