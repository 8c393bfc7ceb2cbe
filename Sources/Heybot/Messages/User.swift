/// A user of a chat service.
public struct User: Codable, Hashable, Identifiable, Sendable {
    /// The id of a user.
    public typealias ID = ScopedID<User>

    /// The user's id.
    ///
    /// Compare users by this, never by name.
    public let id: ID
    /// The name to address the user by.
    public var name: String
    /// The service account that the user is logged in to, if known.
    public var account: String?
    /// Whether the service hasn't authenticated the user, so that another person may have this id later.
    public var isAnonymous: Bool

    /// Creates a user.
    ///
    /// If no name is given, the id's value is the name.
    public init(id: ID, name: String? = nil, account: String? = nil, isAnonymous: Bool = false) {
        self.id = id
        self.name = name ?? id.value
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
