/// A command, and the listener that answers it.
public struct Offer: Sendable {
    /// What answers it.
    public let listener: Listener
    /// What is to be said, and what that does.
    public let line: HelpLine
}

extension Robot {
    /// The commands that are on in a room and that somebody may use there, in registration order.
    public func offers(to user: User, in room: Room) -> [Offer] {
        let (switches, isAdmin) = (switches, isAdmin(user))
        return
            listeners
            .filter { ($0.access == .everyone || isAdmin) && switches.isOn($0.script, in: room) }
            .flatMap { listener in listener.help.map { Offer(listener: listener, line: $0) } }
    }
}
