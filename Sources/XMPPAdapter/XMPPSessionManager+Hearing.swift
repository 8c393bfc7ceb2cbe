import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotXMPP
import NetworkAdapter

// Converts what the session has heard to messages for the robot, with what they refer to.

extension XMPPSessionManager {
    /// Returns the message for an event; nil if it isn't handled.
    mutating func hear(_ event: IncomingEvent, at now: Duration) -> Message? {
        guard recent.admits(event, at: now, date: date()), let content = content(of: event, at: now) else { return nil }
        var message = converter.message(event, content, now: date())
        if let thread = event.thread { message.thread = thread }
        if event.isAction { message.isAction = true }
        // A reaction is neither a reply nor a correction, and nobody can refer to it.
        let isText = message.text != nil
        if isText { addReferences(of: event, to: &message, at: now) }
        let isLate = recent.isLate(event, date: date())
        // An old message to others is ignored.
        let isHandled = !isLate || !event.isPublic || message.isAddressed || isAddressed(message)
        recent.record(event, as: message.id.value, isHandled: isHandled && !leavesRest, at: now)
        guard isHandled else { return nil }
        if isLate { message.isLate = true }
        let sender = MessageSender(
            requester: event.requester, author: event.from,
            conversation: event.room != nil && !event.isPublic ? event.from : event.from.bare,
            id: !isText ? nil : event.isPublic ? event.stanzaID : event.senderID, stanzaID: event.stanzaID,
            showsTyping: event.showsTyping,
            lacksRoomID: isText && event.isPublic && event.stanzaID == nil)
        senders.record(sender, for: message)
        noteHeard()
        return message
    }

    /// Returns the content of a message; nil for a change of a message that the robot doesn't know, or that somebody else may not
    /// change.
    private mutating func content(of event: IncomingEvent, at now: Duration) -> Message.Content? {
        switch event.content {
        case .text, .joined, .left, .topic, .renamed, .realName:
            let nick = event.room.flatMap { state.session?.nick(in: $0) } ?? ""
            return event.content.messageContent(nick: nick, robotName: state.robotName, adapter: converter.adapter)
        case .reaction(let id, let all, _):
            guard let message = message(id, referredToBy: event, at: now) else { return nil }
            let change = reactions.set(all, of: event.requester.limitID, to: message.value)
            guard !change.added.isEmpty || !change.removed.isEmpty else { return nil }
            return .reaction(Message.Reaction(to: message, added: change.added, removed: change.removed))
        case .retraction(let id):
            guard let message = message(id, referredToBy: event, at: now) else { return nil }
            let isByAuthor = senders[message].map { $0.requester.id == event.requester.id } ?? false
            return event.isByRoom || isByAuthor ? .retraction(of: message) : nil
        }
    }

    /// Adds what a message corrects and answers, and its files.
    private func addReferences(of event: IncomingEvent, to message: inout Message, at now: Duration) {
        if let original = recent.original(of: event, at: now) { message.correction = converter.id(original) }
        if let id = event.repliesTo {
            let answered = self.message(id, referredToBy: event, at: now)
            let own = answered.flatMap { ownMessages[$0.value] }
            // Anybody can write any quote.
            message.reply = Message.Reply(message: answered, text: own?.text ?? event.quote)
            // An answer to what the robot has relayed is meant for its author.
            if let own, !RelayMark.isOn(own.text) { message.isAddressed = true }
        }
        if !event.files.isEmpty {
            message.attachments = event.files.map { file in
                Message.AttachedFile(
                    url: file.url, name: file.name, type: file.type, size: file.size, sha256: file.sha256)
            }
        }
    }

    /// Returns the message that an event refers to: the robot's own, or one that it has received.
    private func message(_ id: String, referredToBy event: IncomingEvent, at now: Duration) -> Message.ID? {
        let own = ownMessages.message(id, referredToBy: event)
        return (own ?? recent.message(id, referredToBy: event, at: now)).map { converter.id($0) }
    }

    /// Returns who has sent a message, and by which id others know it; nil if it is too old.
    func sender(of message: Message.ID) -> MessageSender? { senders[message] }

    private func isAddressed(_ message: Message) -> Bool {
        message.text.map { Addressing(name: state.robotName, alias: nil).isAddressed($0) } ?? false
    }
}
