// Users, their roles, and who is ignored.

extension Robot {
    /// The role that allows a user to use commands for admins.
    public static let adminRole = "admin"

    // MARK: Roles

    /// Whether a user is an admin, by the settings or by the role `admin`.
    ///
    /// False for an anonymous user.
    public func isAdmin(_ user: User) -> Bool { users.isAdmin(user) }

    /// Whether the settings name a user as an admin.
    ///
    /// That can't be revoked from chat.
    ///
    /// False for an anonymous user.
    public func isOwner(_ user: User) -> Bool { users.isOwner(user) }

    /// The roles of a user, in lower case; `admin` for the robot's admins.
    ///
    /// Roles require an authenticated user: an anonymous user has none, whatever the brain has for that id, because anyone
    /// can take a nick.
    public func roles(of user: User) -> Set<String> { users.roles(of: user) }

    /// The users who have roles or are ignored, sorted by name.
    public var rolesAndIgnoredUsers: [RolesAndIgnoredUsers.Entry] {
        users.known.sorted {
            ($0.user.name, $0.user.id.description) < ($1.user.name, $1.user.id.description)
        }
    }

    /// Gives a role to a user, or revokes it.
    ///
    /// The change is stored in the brain; robots that share the brain apply it within half a minute.
    ///
    /// - Returns: False if nothing changed.
    @discardableResult
    public func set(role: String, of user: User, to isGiven: Bool) async throws -> Bool {
        try await users.set(role: role, of: user, to: isGiven)
    }

    // MARK: Ignoring

    /// Whether the robot ignores a user.
    public func ignores(_ user: User) -> Bool { users.ignores(user) }

    /// Ignores a user, or stops ignoring them.
    ///
    /// The change is stored in the brain.
    ///
    /// - Returns: False if nothing changed.
    /// - Throws: A ``Refusal`` if the settings name the user as an admin.
    @discardableResult
    public func ignore(_ user: User, _ isIgnored: Bool = true) async throws -> Bool {
        try await users.ignore(user, isIgnored)
    }

    // MARK: Finding users

    /// The users that the robot knows in a room: those who are present, if the adapter knows, and those on the same network
    /// who recently sent a message that matched a listener, or who have a role.
    ///
    /// Each user occurs once, sorted by name.
    public func users(in room: Room) async -> [User] {
        let present = await adapter(of: room, as: (any MemberListing).self)?.users(in: room) ?? []
        let known = (users.known.map(\.user) + dispatcher.recentUsers.all)
            .filter { $0.id.adapter == room.id.adapter }
        let users = (known + present).reduce(into: [User.ID: User]()) { $0[$1.id] = $1 }
        return users.values.sorted { ($0.name, $0.id.value) < ($1.name, $1.id.value) }
    }

    /// The users in a room who match a name: by id or name, or else by the beginning of the name.
    ///
    /// Case and a leading `@` are ignored. Don't use this to grant or revoke rights: compare ids instead.
    public func users(named name: some StringProtocol, in room: Room) async -> [User] {
        let name = name.drop { $0 == "@" }.lowercased()
        guard !name.isEmpty else { return [] }
        let users = await users(in: room)
        let exact = users.filter { $0.name.lowercased() == name || $0.id.value.lowercased() == name }
        let meant = exact.isEmpty ? users.filter { $0.name.lowercased().hasPrefix(name) } : exact
        // Of several users with the same name, authenticated ones take precedence.
        return meant.filter { user in
            !user.isAnonymous || !meant.contains { $0.name == user.name && !$0.isAnonymous }
        }
    }
}

extension Robot {
    /// Gives roles to users, for all robots that use this brain.
    ///
    /// The store must be open.
    ///
    /// - Throws: A ``Refusal`` if there would be too many entries, ``StoreError``, ``BrainCodingError``.
    package static func give(_ roles: [(user: User, roles: Set<String>)], in brain: Brain) async throws {
        try await brain.update(UserPermissions.memory, default: RolesAndIgnoredUsers()) { rolesAndIgnored in
            for (user, roles) in roles {
                for role in roles { _ = try rolesAndIgnored.set(role, of: user, to: true) }
            }
        }
    }
}
