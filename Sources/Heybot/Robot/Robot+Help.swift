extension Robot {
    /// The commands somebody may use in a room, a sorted line each: `usage - what it does`.
    ///
    /// The robot's name stands in front where it has to be said.
    public func commands(for user: User, in room: Room) -> [String] {
        offers(to: user, in: room)
            .map { $0.trigger == .respond && !room.isPrivate ? "\(name) \($0.line)" : "\($0.line)" }
            .sorted()
    }

    /// The lines of help for what is on there and may be used, in registration order.
    func offers(to user: User, in room: Room) -> [(trigger: Listener.Trigger, line: HelpLine)] {
        let switches = switches
        return
            listeners
            .filter { ($0.access == .everyone || isAdmin(user)) && switches.isOn($0.script, in: room) }
            .flatMap { listener in listener.help.map { (listener.trigger, $0) } }
    }
}
