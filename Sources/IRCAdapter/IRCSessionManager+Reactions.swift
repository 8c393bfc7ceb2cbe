import Heybot
import HeybotIRC
import NetworkAdapter

// Refers to messages by the ids that the server has given them (IRCv3 msgid).

extension IRCSessionManager {
    /// What the server passes on.
    var messageFeatures: Set<MessageFeature> {
        guard let session = state.session else { return [] }
        var features: Set<MessageFeature> = []
        if session.passes(.reply) { features.insert(.replies) }
        if session.passes(.reply), session.passes(.react) { features.insert(.reactions) }
        if session.passes(.typing) { features.insert(.typing) }
        if session.confirmsMessages { features.insert(.delivery) }
        return features
    }

    /// Returns the server's id of a message; nil if it has given it none, or the message is too old.
    private func serverID(of message: Message.ID) -> String? {
        requesters[message] == nil || converter.ids.hasGenerated(message) ? nil : message.value
    }

    /// Returns the server's id of the message that a reply in a channel answers.
    ///
    /// In a private conversation it is clear what the robot answers.
    func repliedID(_ envelope: Envelope) -> String? {
        envelope.room.isPrivate ? nil : envelope.message.flatMap { serverID(of: $0) }
    }

    /// Returns the id of a message that is to be confirmed; nil if it isn't, or the server confirms none.
    mutating func track(_ envelope: Envelope) -> Message.ID? {
        guard envelope.isTracked, state.session?.confirmsMessages == true else { return nil }
        let id = nextID()
        deliveries.track(id.value, in: envelope.room.id.value)
        return id
    }

    /// Shows that the robot is writing.
    mutating func showTyping(_ isTyping: Bool, in target: String, _ envelope: Envelope, at now: Duration) {
        state.updateCongestion()
        let requester = requester(envelope)
        perform(
            state.session?.showTyping(isTyping, in: target, requester: requester, at: now) ?? [], at: now)
    }

    /// Reacts to a message.
    ///
    /// - Returns: False for other changes, or if the server passes on no reactions.
    mutating func change(
        _ message: Message.ID, _ change: MessageChange, in target: String, _ envelope: Envelope, at now: Duration
    ) -> Bool {
        let (reaction, isAdded): (String, Bool)
        switch change {
        case .react(let text): (reaction, isAdded) = (text, true)
        case .unreact(let text): (reaction, isAdded) = (text, false)
        case .edit, .retract: return false
        }
        let requester = requester(envelope)
        guard let id = serverID(of: message),
            let actions = state.session?.react(
                reaction, isAdded: isAdded, to: id, in: target, requester: requester, at: now)
        else { return false }
        perform(actions, at: now)
        return true
    }
}
