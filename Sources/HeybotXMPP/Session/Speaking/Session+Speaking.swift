// What we say, and how we leave.

extension Session {
    /// What a stanza has beside its text, at most: the addresses take 3,071 bytes, and each may be escaped.
    private static let envelopeBytes = 5_000

    /// Says these, now or as soon as the pace allows and it is their turn.
    package mutating func say(_ chats: [Chat], at now: Duration) -> [Action] {
        for chat in chats { put(chat) }
        return flush(at: now)
    }

    /// Puts a text into the queue, in as many parts as it takes.
    mutating func put(_ chat: Chat) {
        for part in parts(of: chat.text) {
            var chat = chat
            chat.text = part
            queue.put(chat, isPrivate: isPrivate(chat), isOccupant: isOccupant(chat.target))
        }
    }

    private func parts(of text: String) -> [String] {
        let limit = max(profile.longestText, 100)
        return TextSplitter.parts(
            of: text, limit: limit, escapedLimit: min(2 * limit, sendWindow.longestStanza - Self.envelopeBytes))
    }

    /// Whether it is somebody in a room of ours; not in one of a service that may have been made for us.
    private func isOccupant(_ target: JID) -> Bool {
        let room = target.bare
        return target.resource != nil && rooms[room] != nil && (profile.chose(room) || trusts(room))
    }

    /// Whether it is for a person rather than a room.
    func isPrivate(_ chat: Chat) -> Bool { !(chat.target.isBare && rooms[chat.target] != nil) }

    /// Whether the server takes a text in one stanza.
    package func takesWhole(_ text: String) -> Bool { parts(of: text).count <= 1 }

    /// Makes that a room's subject (XEP-0045 section 8.1); nil if we aren't in it.
    package mutating func setSubject(_ subject: String, of room: JID) -> [Action]? {
        guard isReady, rooms[room]?.isInside == true else { return nil }
        return [
            .send(
                Element(
                    "message", Namespace.client, ["to": room.bare.description, "type": "groupchat"],
                    Element("subject", Namespace.client, text: subject)))
        ]
    }

    /// Leaves, before anything that still waits to be said.
    package mutating func quit(_ words: String) -> [Action] {
        guard phase != .over else { return [] }
        let isReady = isReady
        phase = .over
        guard isReady else { return [.closeStream] }
        let status = Element("status", Namespace.client, text: words)
        // The server tells the rooms too, but not every server tells them our words.
        let farewells = rooms.inside.compactMap { rooms[$0]?.ownAddress }.map {
            Element("presence", Namespace.client, ["type": "unavailable", "to": $0.description], status)
        }
        let leave = Element("presence", Namespace.client, ["type": "unavailable"], status)
        return (farewells + [leave]).map(Action.send) + [.closeStream]
    }

    /// Sends what may be sent by now.
    mutating func flush(at now: Duration) -> [Action] {
        guard isReady else { return [] }
        var actions: [Action] = []
        if let lost = queue.takeLoss(at: now) { actions.append(.note(.lost(lost))) }
        if isClogged { return actions }
        let rooms = rooms
        let expired = queue.expire(at: now) { rooms.canHear($0) }
        if expired > 0 { actions.append(.note(.expired(expired))) }
        var withheld = 0
        while !sendWindow.isFull, var chat = queue.next(at: now, where: { rooms.canHear($0) }) {
            guard chat.text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { continue }
            guard let place = place(of: chat, at: now) else {
                withheld += 1
                continue
            }
            chat.target = place
            queue.count(at: now)
            sendWindow.count(chat.text.utf8.count)
            actions.append(.send(message(chat)))
        }
        if withheld > 0 { actions.append(.note(.withheld(withheld))) }
        // Its answer comes when it has read all of that.
        if sendWindow.mustAsk() { actions.append(ask(Element("ping", Namespace.ping), to: nil, for: .taken, at: now)) }
        return actions
    }

    private mutating func message(_ chat: Chat) -> Element {
        lastID += 1
        let id = "\(idPrefix)-\(lastID)"
        let room = rooms[chat.target.bare]
        let isPublic = room != nil && chat.target.isBare
        var message = Element(
            "message", Namespace.client,
            ["to": chat.target.description, "type": isPublic ? "groupchat" : "chat", "id": id],
            Element("body", Namespace.client, text: chat.text))
        // The same id, for what servers in between may change (XEP-0359).
        message.append(Element("origin-id", Namespace.stanzaID, ["id": id]))
        // So that every client of ours and theirs knows it for what it is (XEP-0045 section 7.5).
        if room != nil, !isPublic { message.append(Element("x", Namespace.mucUser)) }
        return message
    }
}
