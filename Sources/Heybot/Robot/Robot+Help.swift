/// A command that a user may use, and the listener that handles it.
public struct AvailableCommand: Sendable {
    /// The listener that handles it.
    public let listener: Listener
    /// Its line of help: the usage, and what it does.
    public let line: HelpLine
}

extension Robot {
    /// The commands that a user may use in a room, in registration order.
    public func commands(for user: User, in room: Room) -> [AvailableCommand] {
        let (switches, isAdmin) = (switches, isAdmin(user))
        return
            listeners
            .filter { ($0.access == .everyone || isAdmin) && switches.isOn($0.script, in: room) }
            .flatMap { listener in listener.help.map { AvailableCommand(listener: listener, line: $0) } }
    }
}

extension Robot {
    /// Routes the example of every listener.
    ///
    /// - Returns: A line for each example that doesn't match its listener, and for each command that has no example.
    package func brokenExamples() -> [String] {
        listeners.compactMap { listener in
            guard let example = listener.example else {
                return listener.help.isEmpty ? nil : "\(listener.id) has help but no example"
            }
            let text = listener.trigger == .respond ? "\(name) \(example)" : example
            let isAnswered = listeners(matching: text).contains(listener.id)
            return isAnswered ? nil : "\(listener.id) doesn't answer its example: \(text)"
        }
    }

    /// The ids of all listeners that match a text said in a room, in order.
    package func listeners(matching text: String) -> [String] {
        let message = Message(
            id: Message.ID(adapter: "example", value: "1"),
            user: User(id: User.ID(adapter: "example", value: "somebody"), name: "somebody"),
            room: Room(id: Room.ID(adapter: "example", value: "somewhere")), content: .text(text), time: date)
        return dispatcher.router.listeners(matching: RoutingInput(message, dispatcher.addressing)).map(\.id)
    }
}
