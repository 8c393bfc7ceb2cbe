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
        return router.listeners(matching: Candidate(message, addressing)).map(\.id)
    }
}
