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

extension Robot {
    /// Says every listener's example to the router; a line for each that doesn't reach its listener, or is missing.
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

    /// The ids of all listeners that match what somebody says in a room, in order.
    package func listeners(matching text: String) -> [String] {
        let message = Message(
            id: Message.ID(adapter: "example", value: "1"),
            user: User(id: User.ID(adapter: "example", value: "somebody"), name: "somebody"),
            room: Room(id: Room.ID(adapter: "example", value: "somewhere")), content: .text(text), time: date)
        return dispatcher.router.listeners(matching: Candidate(message, dispatcher.addressing)).map(\.id)
    }
}
