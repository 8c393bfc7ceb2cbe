extension Robot {
    /// Routes the example of every listener.
    ///
    /// - Returns: A line for each example that doesn't match its listener, and for each command that has no example.
    package func brokenExamples() -> [String] {
        listeners.compactMap { listener in
            guard let example = listener.example else {
                // Hubot's help has no examples.
                return listener.help.isEmpty || listener.isRemote ? nil : "\(listener.id) has help but no example"
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
        return dispatcher.registry.listenerIndex.listeners(matching: RoutingInput(message, dispatcher.addressing)).map(
            \.id)
    }
}
