import Heybot
import HeybotXMPP
import NetworkAdapter

/// Who has sent a message, and by which id others know it.
struct MessageSender: Sendable {
    let requester: RequesterIdentity
    /// An occupant of a room, or a person's address.
    let author: JID
    /// The room, or where a direct message is answered: an occupant of a room, or a person's own address.
    let conversation: JID
    /// The id for replies and reactions: the room's, or outside of rooms the sender's; nil if there is none.
    let id: String?
    /// The id that the room, or the account's server, has given the message (XEP-0359); nil if there is none.
    let stanzaID: String?
    /// Whether the sender's client shows who is writing in a direct conversation.
    var showsTyping = false
    /// Whether it is a text to which its room has given no id.
    var lacksRoomID = false
}

// Sends messages and changes of them.

extension XMPPSessionManager {
    /// What older clients show in place of a retraction.
    private static let retractionText = "/me retracted a message, but your client doesn't support that."

    /// Sends a text, as a reply if it answers a message in a room.
    ///
    /// - Parameter file: The uploaded file whose URL the text is.
    /// - Returns: The message's id.
    mutating func send(
        _ utterance: Utterance, sharing file: SharedFile? = nil, to room: JID, _ envelope: Envelope, at now: Duration
    ) -> Message.ID {
        let text = Self.text(of: utterance, envelope)
        // What an observer sends, such as a message that somebody has left, isn't the command's answer.
        if !commandAnswers.isEmpty, !MessageContext.isObserver, commandAnswers.take(text, envelope) {
            return converter.ids.next()
        }
        let answered = answered(by: envelope)
        let id = converter.id(answered.telling(in: converter.ids.next().value))
        let target = reachableTarget(room, for: envelope, at: now)
        var message = OutgoingMessage(to: target, text, since: now, requester: requester(envelope))
        message.id = id.value
        message.answered = answered
        message.thread = envelope.thread
        message.isActive = showsTyping(envelope)
        if let file { message.files = [file] }
        let isPublic = target == room && !envelope.room.isPrivate
        if isPublic { message.reference = reply(utterance, shownAs: text, in: room, envelope) }
        // Most texts are so short that they needn't be measured.
        let isWhole = text.utf8.count <= 100 || state.session?.fitsInOneStanza(text) ?? true
        ownMessages.record(
            id.value, OwnMessages.Entry(target: target, isPublic: isPublic, isWhole: isWhole, text: text))
        if envelope.isTracked {
            message.isTracked = true
            deliveries.track(id.value, in: target.description)
        }
        say([message], at: now)
        return id
    }

    /// Shows that the robot is writing: in a room, or to a person whose client shows it.
    mutating func showTyping(_ isTyping: Bool, to target: JID, _ envelope: Envelope, at now: Duration) {
        guard !envelope.room.isPrivate || showsTyping(envelope) else { return }
        state.updateCongestion()
        let requester = requester(envelope)
        perform(
            state.session?.showTyping(isTyping, to: target, requester: requester, at: now) ?? [], at: now)
    }

    /// Whether an answer goes to a person whose client shows who is writing.
    private func showsTyping(_ envelope: Envelope) -> Bool {
        guard envelope.room.isPrivate, let message = envelope.message else { return false }
        return sender(of: message)?.showsTyping == true
    }

    /// Returns where the recipient can receive an answer: in private if the robot isn't allowed to speak in the room.
    mutating func reachableTarget(_ target: JID, for envelope: Envelope, at now: Duration) -> JID {
        guard target.isBare, state.session?.isMute(in: target) == true else { return target }
        perform(state.session?.askForVoice(in: target, at: now) ?? [], at: now)
        guard let user = envelope.user, let occupant = state.session?.occupants(of: target)[user.name] else {
            return target
        }
        // Somebody else may have the nick by now.
        guard user.isAnonymous || occupant.person?.description == user.id.value else { return target }
        return (try? target.with(resource: user.name)) ?? target
    }

    mutating func setSubject(_ subject: String, of room: JID, at now: Duration) -> Bool {
        guard let actions = state.session?.setSubject(subject, of: room) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Sends a direct message before everything that is queued.
    mutating func warn(_ text: String, _ envelope: Envelope, at now: Duration) {
        guard let user = envelope.user,
            let target = try? JID(envelope.room.isPrivate ? envelope.room.id.value : user.id.value)
        else { return }
        var message = OutgoingMessage(to: target, text, since: now, requester: requester(envelope), isUrgent: true)
        message.answered = answered(by: envelope)
        say([message], at: now)
    }

    /// Returns what a message with this envelope answers.
    private func answered(by envelope: Envelope) -> AnsweredMessage {
        // What an observer sends, such as a message that somebody has left, isn't the command's answer.
        guard let message = envelope.message, !MessageContext.isObserver else { return .nothing }
        return AnsweredMessage(sender(of: message)?.stanzaID)
    }

    private static func text(of utterance: Utterance, _ envelope: Envelope) -> String {
        switch utterance {
        case .text, .attachment, .topic: utterance.content
        case .reply(let text): envelope.plainReply(text)
        // XEP-0245.
        case .emote(let text): "/me \(text)"
        }
    }

    /// Returns the reference to the message that a reply in a room answers; nil if it is no reply, or others can't know what it
    /// answers.
    ///
    /// In a direct conversation it is clear what the robot answers.
    private func reply(
        _ utterance: Utterance, shownAs text: String, in room: JID, _ envelope: Envelope
    ) -> MessageReference? {
        guard case .reply(let words) = utterance, let message = envelope.message, let sender = sender(of: message),
            sender.conversation == room, let id = sender.id
        else { return nil }
        let prefix = text.unicodeScalars.count - words.unicodeScalars.count
        return .reply(to: id, author: sender.author, fallback: prefix)
    }

    /// Changes a message of the robot, or reacts to a message.
    ///
    /// A reaction or a retraction waits until the room has shown the robot's message, and so has given it an id.
    ///
    /// - Returns: False if the message is too old or others don't know its id, or if it should be edited or retracted, and was
    ///   sent in parts.
    mutating func change(
        _ message: Message.ID, _ change: MessageChange, _ envelope: Envelope, at now: Duration
    ) -> Bool {
        switch change {
        case .edit(let utterance):
            let text = Self.text(of: utterance, envelope)
            let fits = state.session?.fitsInOneStanza(text) ?? true
            guard let own = ownMessages[message.value], own.isWhole, fits else { return false }
            ownMessages.recordEdit(of: message.value, text)
            // A correction replaces everything, also what the message answers.
            let answered = own.isPublic ? reply(utterance, shownAs: text, in: own.target, envelope) : nil
            say(.correction(of: message.value, reply: answered), text, to: own.target, envelope, at: now)
        case .react(let reaction), .unreact(let reaction):
            guard let (target, id) = reference(to: message) else { return wait(change, of: message, envelope) }
            let isAdded = change == .react(reaction)
            let all = reactions.change(reaction, isAdded: isAdded, to: message.value)
            say(.reactions(all, to: id), "", to: target, envelope, at: now)
        case .retract:
            guard ownMessages[message.value]?.isWhole == true else { return false }
            guard let (target, id) = reference(to: message) else { return wait(change, of: message, envelope) }
            ownMessages.remove(message.value)
            say(.retraction(of: id), Self.retractionText, to: target, envelope, at: now)
        }
        return true
    }

    /// Keeps a change until the room has given the robot's message an id.
    ///
    /// - Returns: False if no id is to come.
    private mutating func wait(_ change: MessageChange, of message: Message.ID, _ envelope: Envelope) -> Bool {
        // A room that has given the answered message no id gives the robot's none either.
        if let answered = envelope.message, sender(of: answered)?.lacksRoomID == true { return false }
        return ownMessages.wait(
            OwnMessages.WaitingChange(change: change, envelope: envelope), for: message.value)
    }

    /// Returns where a message was sent, and by which id others know it; nil if they don't.
    private func reference(to message: Message.ID) -> (target: JID, id: String)? {
        if let own = ownMessages[message.value] {
            guard let id = own.isPublic ? own.stanzaID : message.value else { return nil }
            return (own.target, id)
        }
        guard let sender = sender(of: message), let id = sender.id else { return nil }
        return (sender.conversation, id)
    }

    private mutating func say(
        _ reference: MessageReference, _ text: String, to target: JID, _ envelope: Envelope, at now: Duration
    ) {
        var message = OutgoingMessage(to: target, text, since: now, requester: requester(envelope))
        message.reference = reference
        message.thread = envelope.thread
        message.isActive = !text.isEmpty && showsTyping(envelope)
        say([message], at: now)
    }
}
