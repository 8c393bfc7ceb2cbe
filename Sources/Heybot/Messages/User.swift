/// Somebody who talks with the robot through one adapter.
public struct User: Codable, Hashable, Identifiable, Sendable {
    /// Who it is, as the adapter can best tell: compare people by this, never by name.
    public typealias ID = Scoped<User>

    public let id: ID
    /// What to call them.
    public var name: String

    public init(id: ID, name: String) {
        self.id = id
        self.name = name
    }
}
