// Handles the messages of rooms (XEP-0045 sections 7.4, 7.5 and 8.1).

import HeybotSupport

extension Session {
    /// Handles a message to everyone in a room.
    mutating func handleGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        if sender.isBare, let status = MUCStatus(message) {
            return handleConfigurationChange(of: address, status, at: now)
        }
        if sender.isBare, let retraction = moderatedRetraction(in: message, from: address) { return [retraction] }
        let stamp = delayStamp(of: message, from: sender)
        let isDelayed = message.has("delay", Namespace.delay)
        // What the server sends again when it resumes the session isn't the room's history.
        let isCatchingUp = isCatchingUp
        // Reads everything from the room's state at once, because each look-up costs time.
        let known = rooms.update(address) {
            room -> (occupants: OccupantsSharingNick, isPastFirstSubject: Bool, missedSince: Duration?)? in
            room.lastActivity = now
            guard room.isInside else { return nil }
            let isPastFirstSubject = !room.awaitsFirstSubject
            // ejabberd's history has former subjects too, so requested history lasts until something isn't delayed.
            let isHistory =
                isPastFirstSubject ? stamp != nil && room.wanted.missedSince != nil && !isCatchingUp : isDelayed
            let missedSince = isHistory ? room.wanted.missedSince : nil
            if !isDelayed {
                room.awaitsFirstSubject = false
                room.wanted.missedSince = nil
            } else if !isPastFirstSubject {
                // A message with a body sets no subject (XEP-0045 section 8.1): anyone can send one.
                let isSubject = message.has("subject", Namespace.client) && !message.has("body", Namespace.client)
                room.awaitsFirstSubject = !isSubject
            }
            // A delayed message before the subject is history, also from a current occupant.
            guard !isHistory || missedSince != nil, let nick = sender.resource, nick != room.nick else { return nil }
            // The robot's own messages are repeated too, and may have been sent under its usual nick.
            if isHistory, nick == configuration.nick { return nil }
            if !isHistory { room.wanted.isUsed = true }
            return (room.occupants(nick, from: message["from"]), isPastFirstSubject, missedSince)
        }
        guard let known = known ?? nil else { return handleOwn(message, from: sender) }
        if let missedSince = known.missedSince {
            return stamp == nil
                ? [] : hearMissed(message, from: sender, known.occupants, since: missedSince, at: now)
        }
        let occupant = verifiedSender(of: message, known.occupants.verified, in: address)
        let person = occupant?.person
        if Self.encryption(of: message) != nil { return [] }
        if let change = Self.change(in: message) {
            guard stamp == nil, !known.occupants.areUnreadable else { return [] }
            let requester = requester(sender, occupant, known.occupants, Self.occupantID(message), at: now)
            return [
                incomingMessage(
                    change, message, from: sender, person: person, isPublic: true, room: address, requester: requester)
            ]
        }
        if message.has("body", Namespace.client) || message.has("file-sharing", Namespace.fileSharing) {
            guard let body = Self.body(message) else { return [] }
            if known.occupants.areUnreadable {
                let requester = requester(sender, occupant, known.occupants, Self.occupantID(message), at: now)
                return mentionsRobot(body) ? sendAddressHint(to: sender, requester, at: now) : []
            }
            return [
                incomingMessage(
                    .text(body), message, from: sender, person: person, isPublic: true, room: address,
                    requester: requester(sender, occupant, known.occupants, Self.occupantID(message), at: now))
            ]
        }
        guard stamp == nil, let subject = message.first("subject", Namespace.client), known.isPastFirstSubject else {
            return []
        }
        return receiveEvent(.topic(subject.text), sender, occupant, known.occupants, in: address, at: now)
    }

    /// Handles a message that a room repeats because the session has missed it, or that the room's archive has found.
    func hearMissed(
        _ message: Element, from sender: JID, _ known: OccupantsSharingNick, since: Duration,
        archived: ArchiveEntry? = nil, at now: Duration
    ) -> [Action] {
        let room = sender.bare
        guard Self.encryption(of: message) == nil, !known.areUnreadable, let body = Self.body(message) else {
            return []
        }
        // The nick may have been another user's: only an occupant id tells whose it was.
        let isIdentifying = services.identifiesOccupants(at: room.domain)
        let occupant = isIdentifying ? verifiedSender(of: message, known.verified, in: room) : nil
        var known = known
        // Otherwise the user who has the nick now mustn't get a private answer.
        if occupant == nil { known.isUnusual = true }
        return [
            incomingMessage(
                .text(body), message, from: sender, person: occupant?.person, isPublic: true, room: room,
                requester: requester(sender, occupant, known, Self.occupantID(message), at: now), missedSince: since,
                archived: archived)
        ]
    }

    /// Handles a direct message from an occupant of a room (XEP-0045 section 7.5).
    mutating func handlePrivateMessage(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, let nick = sender.resource, nick != room.nick
        else { return [] }
        let known = room.occupants(nick, from: message["from"])
        // An answer would be sent to the normal form of the nick, which may be another occupant's.
        guard !known.isUnusual else { return [] }
        let occupant = verifiedSender(of: message, known.verified, in: room.address)
        let person = occupant?.person
        let requester = requester(sender, occupant, known, Self.occupantID(message), at: now)
        if known.areUnreadable { return sendAddressHint(to: sender, requester, at: now) }
        guard configuration.contacts.include(person) else {
            guard verifiedSender(of: message, known.unverified, in: room.address) != nil else { return [] }
            return sendHint(
                "I'm still checking who is in that room. Please send your message again in a moment.", to: sender,
                requester, at: now)
        }
        if let encryption = Self.encryption(of: message) {
            return sendEncryptionHint(encryption, to: sender, requester, at: now)
        }
        guard let content = Self.change(in: message) ?? Self.body(message).map(ChatEvent.text) else {
            return confirmation(in: message, by: sender)
        }
        return [
            incomingMessage(
                content, message, from: sender, person: person, isPublic: false, room: sender.bare,
                requester: requester, asks: ConfirmationRequests(message))
        ]
    }

    /// Handles one of the session's own messages, which the room repeats to all occupants: it has arrived, and the room may have
    /// given it an id.
    private mutating func handleOwn(_ message: Element, from sender: JID) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, sender.resource == room.nick,
            let id = Self.bounded(Self.ownID(of: message))
        else { return [] }
        unconfirmedMessages.confirm(id, in: room.address)
        if message.has("delay", Namespace.delay) { return [] }
        let confirmation = tracksMessages ? [Action.confirmed(id, isRead: false, by: room.address)] : []
        guard let stanzaID = stanzaID(of: message, by: room.address) else { return confirmation }
        return [.stanzaID(stanzaID, of: id, in: room.address)] + confirmation
    }

    private func mentionsRobot(_ body: String) -> Bool {
        body.lowercased().contains(configuration.nick.lowercased())
    }

    /// Answers an occupant whose address can't be read.
    private mutating func sendAddressHint(to sender: JID, _ requester: RequesterIdentity, at now: Duration) -> [Action]
    {
        sendHint(
            "I can't read your address: it has characters that no XMPP address may have. Please log in with its usual "
                + "spelling.", to: sender, requester, at: now)
    }

    // MARK: Voice

    /// The minimum time between two requests for voice in a room.
    private static let voiceInterval: Duration = .seconds(3_600)

    /// Whether the robot is a visitor in a moderated room, and so isn't allowed to speak (XEP-0045 section 5.1).
    package func isMute(in room: JID) -> Bool {
        guard let room = rooms[room], room.isInside else { return false }
        return room.occupants[room.nick]?.role == .visitor
    }

    /// Requests voice from a room's moderators, at most once an hour (XEP-0045 section 7.13).
    package mutating func askForVoice(in room: JID, at now: Duration) -> [Action] {
        guard isOnline, isMute(in: room), let known = rooms[room],
            known.voiceRequestedAt.map({ now - $0 >= Self.voiceInterval }) ?? true
        else { return [] }
        rooms.update(room) { $0.voiceRequestedAt = now }
        let fields = [("FORM_TYPE", Namespace.mucRequest), ("muc#role", "participant")].map { name, value in
            Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value))
        }
        var form = Element("x", Namespace.data, ["type": "submit"])
        for field in fields { form.append(field) }
        return [
            .send(Element("message", Namespace.client, ["to": room.description], form)), .log(.voiceRequested(room))
        ]
    }

    func receiveEvent(_ content: ChatEvent, by nick: String, in address: JID, at now: Duration) -> [Action] {
        guard let from = try? address.with(resource: nick) else { return [] }
        let room = rooms[address]
        let known = OccupantsSharingNick(verified: room?.occupants[nick], unverified: room?.unverified[nick])
        return receiveEvent(content, from, known.verified, known, in: address, at: now)
    }

    private func receiveEvent(
        _ content: ChatEvent, _ from: JID, _ occupant: Occupant?, _ known: OccupantsSharingNick, in address: JID,
        at now: Duration
    ) -> [Action] {
        var event = IncomingEvent(
            content: content, from: from, person: occupant?.person, isPublic: true, room: address)
        event.requester = requester(from, occupant, known, nil, at: now)
        return [.hear(event)]
    }
}
