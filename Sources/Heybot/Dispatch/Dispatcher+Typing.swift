// Shows in the room of a message that the robot is writing, while a closure works.

extension Dispatcher {
    /// Shows in the room of a message what the robot's writing does.
    ///
    /// - Returns: False if nothing is to be shown, because nobody expects an answer, or the service can't show it.
    func showTyping(_ change: TypingChange, _ inbound: InFlightMessage) -> Bool {
        // Nobody waits for the answer to a command that runs at a time.
        guard inbound.isReceived, let robot else { return false }
        let message = inbound.message
        if case .due = change, RoutingInput(message, addressing).addressed == nil { return false }
        let adapter = robot.adapter(of: message.room, as: (any MessageChanging).self)
        guard let adapter, adapter.messageFeatures.contains(.typing) else { return false }
        let isTyping = if case .ended = change { false } else { true }
        adapter.showTyping(isTyping, in: message.answerEnvelope)
        return true
    }
}
