/// How people stand with a robot: who has which roles, and who is ignored.
///
/// Only those are in it of whom there is something to say.
public struct Standings: Codable, Hashable, Sendable {
    /// How one person stands.
    public struct Standing: Codable, Hashable, Sendable {
        /// Who it is, as they were called when that was said.
        public var user: User
        /// What they may do more than others, in lower case.
        public var roles: Set<String> = []
        /// Whether what they say isn't listened to.
        public var isIgnored = false
    }

    /// By the ids of the people.
    public private(set) var people: [User.ID: Standing] = [:]
    /// So many, then no more: they are one value of the brain.
    static let most = 2_000

    /// The roles somebody was given.
    public func roles(of user: User.ID) -> Set<String> { people[user]?.roles ?? [] }

    /// Whether somebody is ignored.
    public func ignores(_ user: User.ID) -> Bool { !people.isEmpty && people[user]?.isIgnored == true }

    /// Gives somebody a role, or takes it back; false if that is so already.
    mutating func set(_ role: String, of user: User, to isGiven: Bool) throws -> Bool {
        try change(user) { standing in
            isGiven ? standing.roles.insert(role).inserted : standing.roles.remove(role) != nil
        }
    }

    /// Ignores somebody, or listens again; false if that is so already.
    mutating func ignore(_ user: User, _ isIgnored: Bool) throws -> Bool {
        try change(user) { standing in
            defer { standing.isIgnored = isIgnored }
            return standing.isIgnored != isIgnored
        }
    }

    private mutating func change(_ user: User, _ change: (inout Standing) -> Bool) throws -> Bool {
        var standing = people[user.id] ?? Standing(user: user)
        standing.user = user
        guard change(&standing) else { return false }
        if standing.roles.isEmpty, !standing.isIgnored {
            people[user.id] = nil
        } else if people[user.id] != nil || people.count < Self.most {
            people[user.id] = standing
        } else {
            throw Refusal("I know the roles of \(Self.most) people already: take some back first.")
        }
        return true
    }
}

extension Standings {
    private enum CodingKeys: String, CodingKey {
        case people
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let all = try container.decode([Standing].self, forKey: .people)
        self.init(people: Dictionary(all.map { ($0.user.id, $0) }, uniquingKeysWith: { $1 }))
    }

    /// As a list: as keys of a dictionary, ids that look alike but aren't the same would be taken for one when they are read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(people.values.sorted { $0.user.id.description < $1.user.id.description }, forKey: .people)
    }
}

extension Robot {
    /// Gives people roles for the robots that use this brain; the store is open.
    ///
    /// - Throws: A ``Refusal`` if there would be too many people, ``StoreError``, ``BrainError``.
    package static func give(_ roles: [(user: User, roles: Set<String>)], in brain: Brain) async throws {
        try await brain.update(UserDirectory.memory, default: Standings()) { standings in
            for (user, roles) in roles {
                for role in roles { _ = try standings.set(role, of: user, to: true) }
            }
        }
    }
}
