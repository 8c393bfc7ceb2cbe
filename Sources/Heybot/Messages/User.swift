/// Somebody who talks with the robot through one adapter.
public struct User: Codable, Hashable, Identifiable, Sendable {
    /// Tells people apart.
    public typealias ID = Scoped<User>

    /// Who it is, as the adapter can best tell: compare people by this, never by name.
    public let id: ID
    /// What to call them.
    public var name: String
    /// The account they are logged in to at the service, where it has accounts and tells.
    public var account: String?

    /// Makes a user of what the adapter knows.
    public init(id: ID, name: String, account: String? = nil) {
        self.id = id
        self.name = name
        self.account = account
    }
}
