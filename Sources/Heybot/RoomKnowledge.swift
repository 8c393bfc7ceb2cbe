/// An adapter that can tell whether what is said in a room would be heard there.
public protocol RoomKnowledge: Adapter {
    /// Whether the robot is in a room, or will be as soon as it is connected; nil if only the service knows, as of a
    /// conversation with somebody who may be there.
    func isIn(_ room: Room) async -> Bool?
}

extension Robot {
    /// Whether it is in a room; nil if its adapter can't tell.
    public func isIn(_ room: Room) async -> Bool? {
        await adapter(of: room, as: (any RoomKnowledge).self)?.isIn(room)
    }
}
