/// A room of a chat service, or a private conversation.
public struct Room: Codable, Hashable, Identifiable, Sendable {
    /// The id of a room.
    public typealias ID = ScopedID<Room>

    /// The room's id.
    ///
    /// Compare rooms by this, never by name.
    public let id: ID
    /// The name that people see.
    public var name: String
    /// Whether this is a private conversation with the robot, in which commands don't need its name.
    public var isPrivate: Bool

    /// Creates a room.
    ///
    /// If no name is given, the id's value is the name.
    public init(id: ID, name: String? = nil, isPrivate: Bool = false) {
        self.id = id
        self.name = name ?? id.value
        self.isPrivate = isPrivate
    }
}
