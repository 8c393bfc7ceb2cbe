// Shows others that the robot is writing (XEP-0085). What others do is ignored.

extension Session {
    /// A robot hardly writes in more conversations at once.
    private static let maxComposing = 500

    /// Shows in a room or to a person that the robot is writing, or that it has stopped; nothing if that is known already.
    ///
    /// The caller makes sure that the person's client shows it. A message to the same target shows that the robot has stopped too.
    ///
    /// - Parameter requester: The requester whom the robot answers, as in ``OutgoingMessage/requester``.
    package mutating func showTyping(
        _ isTyping: Bool, to target: JID, requester: RequesterIdentity?, at now: Duration
    ) -> [Action] {
        // What waits would arrive later than this.
        guard configuration.showsActivity, phase == .ready, canSend, !isTyping || queue.count == 0 else { return [] }
        let message = OutgoingMessage(to: target, "", since: now, requester: requester)
        let lookup = ReplyRecipientLookup(rooms: rooms, services: services)
        guard !lookup.isWaiting(message), case .known(let recipient) = lookup.recipient(of: message, at: now),
            !isMute(in: recipient)
        else { return [] }
        // No state is sent twice in a row (XEP-0085 section 5.3).
        if isTyping {
            // Occupants who have left may be among them.
            if composing.count >= Self.maxComposing { composing = [] }
            guard composing.insert(recipient).inserted else { return [] }
        } else {
            guard composing.remove(recipient) != nil else { return [] }
        }
        let isInRoom = rooms[recipient.bare] != nil
        let type = isInRoom && recipient.isBare ? "groupchat" : "chat"
        var stanza = Element(
            "message", Namespace.client, ["to": recipient.description, "type": type],
            Self.chatState(isTyping ? "composing" : "paused"), Element("no-store", Namespace.hints))
        if isInRoom, type == "chat" { stanza.append(Element("x", Namespace.mucUser)) }
        return [.send(stanza)]
    }

    static func chatState(_ name: String) -> Element { Element(name, Namespace.chatStates) }
}
