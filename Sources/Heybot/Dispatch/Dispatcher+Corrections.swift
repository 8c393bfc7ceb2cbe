// Decides which listeners hear a corrected message.

extension Dispatcher {
    /// Whether a message is a correction that only the listeners with `onEdit: true` hear.
    ///
    /// A corrected command is handled as if it were new if nothing has understood the original, and if it isn't late. A catch-all
    /// has understood a message if it stops the listeners after it: it may run commands that were made in chat.
    func isOnlyForEdits(_ input: RoutingInput) -> Bool {
        guard let original = input.message.correction, input.text != nil else { return false }
        return input.addressed == nil || input.message.isLate || handled.contains(original)
    }

    /// Records that a listener handles a message, and so also the message that it corrects.
    func markHandled(_ inbound: InFlightMessage) {
        // A command that another one runs has the other one's id.
        guard inbound.isReceived else { return }
        let message = inbound.message
        guard case .text = message.content else { return }
        handled.insert(message.id)
        // A further correction refers to the original again.
        if let original = message.correction { handled.insert(original) }
    }

    /// Records that nothing has understood a message after all.
    func unmarkHandled(_ inbound: InFlightMessage) {
        guard inbound.isReceived else { return }
        let message = inbound.message
        handled.remove(message.id)
        if let original = message.correction { handled.remove(original) }
    }
}
