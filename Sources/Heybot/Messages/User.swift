/// Somebody who talks with the robot through one adapter.
public struct User: Codable, Hashable, Identifiable, Sendable {
    /// Tells people apart.
    public typealias ID = Scoped<User>

    /// Who it is, as the adapter can best tell: compare people by this, never by name.
    public let id: ID
    /// What to call them.
    public var name: String
    /// The account they are logged in to at the service, if it has accounts and tells.
    public var account: String?
    /// Whether the service doesn't vouch for who they are, so that somebody else may be called so later: nobody's account or
    /// address is told there, or not theirs.
    public var isAnonymous: Bool

    /// Makes a user of what the adapter knows.
    public init(id: ID, name: String, account: String? = nil, isAnonymous: Bool = false) {
        self.id = id
        self.name = name
        self.account = account
        self.isAnonymous = isAnonymous
    }

    private enum CodingKeys: String, CodingKey { case id, name, account, isAnonymous }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
            account: try container.decodeIfPresent(String.self, forKey: .account),
            isAnonymous: try container.decodeIfPresent(Bool.self, forKey: .isAnonymous) ?? false)
    }
}
