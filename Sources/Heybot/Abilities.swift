// What an adapter may be able to do beyond the two methods that each one has.

/// An adapter through which somebody can be talked to alone, wherever they were heard.
public protocol PrivateMessaging: Adapter {
    /// Where that is.
    func privateRoom(of user: User) -> Room
}

/// An adapter that can tell who is in a room.
public protocol Attendance: Adapter {
    /// Who is there now, without the robot itself; empty where that isn't known.
    func users(in room: Room) async -> [User]
}

/// An adapter that says a long answer a page at a time, since its service would take all of it at once for a flood.
public protocol Paging: Adapter {
    /// Says the next page of what it has kept back for a room; false where there is nothing.
    func showMore(in room: Room) async throws -> Bool
}

/// An adapter that can find out, before the robot goes live, whether it would get where it wants to be.
public protocol Checkable: Adapter {
    /// Goes where ``Adapter/run(_:)`` would, by the same way, tells each step, and leaves.
    ///
    /// It hears and answers nobody, leaves alone a robot that is live with the same settings, and tries nothing twice.
    ///
    /// - Parameters:
    ///   - limit: How long it may take at each server.
    ///   - tell: Told each step, in order.
    func check(within limit: Duration, _ tell: @escaping @Sendable (CheckStep) -> Void) async
}
