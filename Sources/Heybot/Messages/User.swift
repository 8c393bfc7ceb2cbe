/// Somebody who talks with the robot through one adapter.
public struct User: Codable, Hashable, Identifiable, Sendable {
    /// Tells people apart.
    public typealias ID = Scoped<User>

    /// Who it is, as the adapter can best tell: compare people by this, never by name.
    public let id: ID
    /// What to call them.
    public var name: String

    /// Makes a user of what the adapter knows.
    public init(id: ID, name: String) {
        self.id = id
        self.name = name
    }
}
