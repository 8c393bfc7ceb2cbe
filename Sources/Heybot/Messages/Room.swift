/// A place where messages are said: a room for many, or a private conversation.
public struct Room: Codable, Hashable, Identifiable, Sendable {
    /// Tells rooms apart.
    public typealias ID = Scoped<Room>

    /// Which room it is: compare rooms by this, never by name.
    public let id: ID
    /// What people call it.
    public var name: String
    /// Whether this is a conversation with the robot alone, where its name need not be said.
    public var isPrivate: Bool

    /// Makes a room, called by its id if nothing else is known.
    public init(id: ID, name: String? = nil, isPrivate: Bool = false) {
        self.id = id
        self.name = name ?? id.value
        self.isPrivate = isPrivate
    }
}
