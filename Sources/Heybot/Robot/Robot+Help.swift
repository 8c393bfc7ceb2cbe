extension Robot {
    /// The commands somebody may use in a room, a sorted line each: `usage - what it does`.
    ///
    /// The robot's name stands in front where it has to be said.
    public func commands(for user: User, in room: Room) -> [String] {
        listeners
            .filter { ($0.access == .everyone || isAdmin(user)) && switches.isOn($0.script, in: room) }
            .flatMap { listener in
                let needsName = listener.trigger == .respond && !room.isPrivate
                return listener.help.map { needsName ? "\(name) \($0)" : "\($0)" }
            }
            .sorted()
    }
}
