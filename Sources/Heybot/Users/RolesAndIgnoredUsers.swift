/// The users who have roles, and those who are ignored.
public struct RolesAndIgnoredUsers: Codable, Hashable, Sendable {
    /// The roles of one user, and whether the user is ignored.
    public struct Entry: Codable, Hashable, Sendable {
        /// The user, with the name they had when the entry was changed last.
        public var user: User
        /// The user's roles, in lower case.
        public var roles: Set<String> = []
        /// Whether the robot ignores the user.
        public var isIgnored = false
    }

    /// The entries by user id.
    public private(set) var people: [User.ID: Entry] = [:]
    /// The maximum number of entries: all are stored as one value of the brain.
    static let most = 2_000

    /// The roles given to a user.
    public func roles(of user: User.ID) -> Set<String> { people[user]?.roles ?? [] }

    /// Whether a user is ignored.
    public func ignores(_ user: User.ID) -> Bool { !people.isEmpty && people[user]?.isIgnored == true }

    /// Gives a role to a user, or revokes it; false if nothing changed.
    mutating func set(_ role: String, of user: User, to isGiven: Bool) throws -> Bool {
        try change(user) { entry in
            isGiven ? entry.roles.insert(role).inserted : entry.roles.remove(role) != nil
        }
    }

    /// Ignores a user, or stops ignoring them; false if nothing changed.
    mutating func ignore(_ user: User, _ isIgnored: Bool) throws -> Bool {
        try change(user) { entry in
            defer { entry.isIgnored = isIgnored }
            return entry.isIgnored != isIgnored
        }
    }

    private mutating func change(_ user: User, _ change: (inout Entry) -> Bool) throws -> Bool {
        var entry = people[user.id] ?? Entry(user: user)
        entry.user = user
        guard change(&entry) else { return false }
        if entry.roles.isEmpty, !entry.isIgnored {
            people[user.id] = nil
        } else if people[user.id] != nil || people.count < Self.most {
            people[user.id] = entry
        } else {
            throw Refusal(
                "At most \(Self.most) people can have roles or be ignored. Revoke roles, or stop ignoring someone, first."
            )
        }
        return true
    }
}

extension RolesAndIgnoredUsers {
    private enum CodingKeys: String, CodingKey {
        case people
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let all = try container.decode([Entry].self, forKey: .people)
        self.init(people: Dictionary(all.map { ($0.user.id, $0) }, uniquingKeysWith: { $1 }))
    }

    /// Encodes a list: as keys of a dictionary, ids that are canonically equivalent but differ in bytes would be merged when
    /// they are decoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(people.values.sorted { $0.user.id.description < $1.user.id.description }, forKey: .people)
    }
}
