// Sends messages, and leaves.

extension Session {
    /// The maximum size of a stanza without its text, in bytes: the addresses take 3,071, and may be escaped.
    private static let envelopeBytes = 5_000

    /// Sends messages in turn, as soon as the rate limit allows.
    package mutating func say(_ messages: [OutgoingMessage], at now: Duration) -> [Action] {
        for message in messages { enqueueInOrder(message, at: now) }
        return flush(at: now)
    }

    /// Queues a message, split into as many parts as needed.
    mutating func enqueue(_ message: OutgoingMessage) {
        // Reactions have no text.
        let parts = message.text.isEmpty && message.reference != nil ? [""] : parts(of: message.text)
        for (index, part) in parts.enumerated() {
            var message = message
            // Each part of a text that the earlier server took as a whole is a message of its own.
            if parts.count > 1 { message.stanzaID = nil }
            if index > 0 {
                (message.id, message.reference, message.files, message.isTracked) = (nil, nil, [], false)
            }
            message.text = part
            queue.enqueue(message, isPrivate: isPrivate(message), isOccupant: isOccupant(message.target))
        }
    }

    private func parts(of text: String) -> [String] {
        let limit = max(configuration.longestText, 100)
        return TextSplitter.parts(
            of: text, limit: limit, escapedLimit: min(2 * limit, stanzaSizeLimit.longestStanza - Self.envelopeBytes))
    }

    /// Whether a target is an occupant of a joined room, on a service that can be trusted not to be made up for the robot.
    private func isOccupant(_ target: JID) -> Bool {
        let room = target.bare
        return target.resource != nil && rooms[room] != nil && (configuration.isConfigured(room) || trusts(room))
    }

    /// Whether a message goes to a person rather than a room.
    func isPrivate(_ message: OutgoingMessage) -> Bool { !(message.target.isBare && rooms[message.target] != nil) }

    /// Whether a text fits into a single stanza.
    package func fitsInOneStanza(_ text: String) -> Bool { parts(of: text).count <= 1 }

    /// Sets a room's subject (XEP-0045 section 8.1).
    ///
    /// - Returns: Nil if the session isn't in the room.
    package mutating func setSubject(_ subject: String, of room: JID) -> [Action]? {
        guard isOnline, rooms[room]?.isInside == true else { return nil }
        return [
            .send(
                Element(
                    "message", Namespace.client, ["to": room.bare.description, "type": "groupchat"],
                    Element("subject", Namespace.client, text: subject)))
        ]
    }

    /// Leaves the rooms and closes the stream, without sending what is queued.
    ///
    /// If the session is to be kept for another process, it only tells the server what it has handled, and the connection is to
    /// be closed without closing the stream.
    package mutating func quit(_ words: String) -> [Action] {
        guard phase != .over else { return [] }
        let isOnline = isOnline
        if configuration.isKeptAtStop, kept != nil {
            phase = .over
            return isOnline ? [.send(acknowledgement)] : []
        }
        phase = .over
        streamManagement.giveUpResumption()
        guard isOnline else { return [.closeStream] }
        let status = Element("status", Namespace.client, text: words)
        // The server leaves the rooms too, but not every server passes the status text on.
        let farewells = rooms.inside.compactMap { rooms[$0]?.ownAddress }.map {
            Element("presence", Namespace.client, ["type": "unavailable", "to": $0.description], status)
        }
        let leave = Element("presence", Namespace.client, ["type": "unavailable"], status)
        return (farewells + [leave]).map(Action.send) + [.closeStream]
    }

    /// Sends the messages that may be sent now.
    mutating func flush(at now: Duration) -> [Action] {
        guard isOnline else { return [] }
        var actions: [Action] = []
        if let dropped = queue.takeDropCount(at: now) { actions.append(.log(.dropped(dropped))) }
        if isCongested { return actions }
        let lookup = ReplyRecipientLookup(rooms: rooms, services: services)
        let expired = queue.expire(at: now) { !lookup.isWaiting($0) }
        if expired > 0 { actions.append(.log(.expired(expired))) }
        var withheld = 0
        var unconfirmed: Set<JID> = []
        let canBeSent = { (message: OutgoingMessage) in
            guard !lookup.isWaiting(message) else { return false }
            guard case .unconfirmed(let occupant) = lookup.recipient(of: message, at: now) else { return true }
            unconfirmed.insert(occupant)
            return false
        }
        while !pingFlowControl.isFull, var message = queue.next(at: now, where: canBeSent) {
            guard message.reference != nil || message.text.unicodeScalars.contains(where: Self.isVisible) else {
                continue
            }
            guard case .known(let target) = lookup.recipient(of: message, at: now) else {
                withheld += 1
                continue
            }
            message.target = target
            queue.count(at: now)
            pingFlowControl.recordSent(message.text.utf8.count)
            actions.append(.send(stanza(for: message, at: now)))
        }
        if withheld > 0 { actions.append(.log(.withheld(withheld))) }
        actions += confirm(unconfirmed, at: now)
        // The server responds once it has read everything before the ping.
        if pingFlowControl.startPing() {
            actions.append(ask(Element("ping", Namespace.ping), to: nil, for: .deliveryPing, at: now))
        }
        return actions
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool { !scalar.properties.isWhitespace }

    private mutating func stanza(for message: OutgoingMessage, at now: Duration) -> Element {
        lastID += 1
        let id = message.stanzaID ?? message.id ?? message.answered.telling(in: "\(idPrefix)-\(lastID)")
        streamManagement.expect(message, as: id)
        recordUnconfirmed(message, as: id, at: now)
        unanswered?.noteSent(id)
        let room = rooms[message.target.bare]
        let isPublic = room != nil && message.target.isBare
        var stanza = Element(
            "message", Namespace.client,
            ["to": message.target.description, "type": isPublic ? "groupchat" : "chat", "id": id])
        if !message.text.isEmpty { stanza.append(Element("body", Namespace.client, text: message.text)) }
        if let thread = message.thread { stanza.append(Element("thread", Namespace.client, text: thread)) }
        for element in message.reference?.elements ?? [] { stanza.append(element) }
        for file in message.files { for element in file.elements { stanza.append(element) } }
        let wasComposing = !composing.isEmpty && composing.remove(message.target) != nil
        if wasComposing || message.isActive && configuration.showsActivity { stanza.append(Self.chatState("active")) }
        if message.isTracked { track(&stanza, isPublic: isPublic) }
        // The same id again, because servers on the way may change the stanza's own (XEP-0359).
        stanza.append(Element("origin-id", Namespace.stanzaID, ["id": id]))
        // Marks it as a message to an occupant for the other clients of both sides (XEP-0045 section 7.5).
        if room != nil, !isPublic { stanza.append(Element("x", Namespace.mucUser)) }
        return stanza
    }
}
