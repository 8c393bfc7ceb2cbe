// Leaves a session open for another process, and resumes a session of another process (XEP-0198 section 5).

extension Session {
    /// What another process needs to resume the session; nil if it can't be resumed, or if too much or a password would
    /// have to be kept.
    package var kept: KeptSession? {
        let inside = rooms.inside.map { KeptSession.Room(address: $0.description, nick: nick(in: $0)) }
        guard var kept = KeptSession(streamManagement, address: address, rooms: inside) else { return nil }
        let stanzas = streamManagement.unacknowledgedStanzas
        let unacknowledged = Set(stanzas.compactMap { $0["id"] })
        let sent = unconfirmedMessages.sentToRooms(since: unconfirmedSince)
        let unshown = sent.filter { sent in
            sent.message.stanzaID.map(unacknowledged.contains) != true && isKept(sent.message)
        }
        let unsent = (unconfirmedMessages.heldMessages + queue.unsent).filter(isKept)
        kept.unshown = KeptSession.texts(unshown, lastReceived: lastReceived)
        let awaited = Set(sent.compactMap(\.message.stanzaID))
        kept.shown = stanzas.filter { $0["type"] == "groupchat" }.compactMap { $0["id"] }.filter {
            !awaited.contains($0)
        }
        kept.unsent = KeptSession.texts(unsent, lastReceived: lastReceived)
        kept.absences = absences.map { room, since in
            KeptSession.Absence(room: room?.description, since: (lastReceived - since) / .seconds(1))
        }
        kept.pages = archives.count
        if failedResumptions > 0 { kept.hasUnansweredRequest = true }
        return kept
    }

    /// Whether a message is kept if it may not have arrived: a plain text to a room, or to a person outside of rooms.
    ///
    /// Another occupant may soon have the nick of an occupant.
    private func isKept(_ message: OutgoingMessage) -> Bool {
        let isToOccupant = message.target.resource != nil && rooms[message.target.bare] != nil
        return message.reference == nil && message.files.isEmpty && !message.isUrgent && !isToOccupant
    }

    /// The times since which the session has missed what was said, by room; nil for direct messages.
    private var absences: [(JID?, Duration)] {
        // A killed robot's time is asked for again anyway.
        guard hearsMissedMessages, !mayTakeOverCommands else { return [] }
        let missed = rooms.wanted.compactMap { room in
            (archives.missedSince(in: room.address) ?? room.missedSince).map { (Optional(room.address), $0) }
        }
        return missed + ((archives.missedSince(in: address.bare) ?? absentSince).map { [(nil, $0)] } ?? [])
    }

    /// Leaves what the server sends from now on to the process that resumes the session: it doesn't count as handled,
    /// so that the server sends it again.
    package mutating func leaveRest() { if configuration.isKeptAtStop { streamManagement.stopCounting() } }

    /// Creates a session that resumes one of another process, on the stream that
    /// ``reopen(isSecure:nonce:waiting:at:)`` opens.
    ///
    /// - Parameters:
    ///   - rooms: The rooms to be in instead of the configured ones.
    ///   - age: How long ago the other process last heard from the server.
    /// - Returns: Nil if the session is another account's, is in another room, or can't be read.
    package init?(
        _ kept: KeptSession, _ configuration: SessionConfiguration, nonce: String,
        rooms: [SessionConfiguration.Room]? = nil, age: Duration, at now: Duration
    ) {
        guard let address = try? JID(kept.address), address.resource != nil,
            address.bare == configuration.address.bare, let stanzas = kept.parsedStanzas()
        else { return nil }
        self.init(configuration, isSecure: true, nonce: nonce, rooms: rooms, at: now)
        self.address = address
        requests.account = address
        lastReceived = now - age
        (wasOnline, isTakenOver) = (true, true)
        // A room that isn't kept may be one that the other process was about to join.
        self.rooms.updateAll { $0.doubtsList = true }
        for room in kept.rooms {
            guard let nick = try? Resourcepart.prepared(room.nick[...]), let roomAddress = try? JID(room.address),
                self.rooms[roomAddress] != nil
            else { return nil }
            let nickRetryAt = nick == self.configuration.nick ? nil : now + configuration.timeouts.nickRetryInterval
            self.rooms.update(roomAddress) {
                $0.takeOver(nick, at: now)
                $0.nickRetryAt = nickRetryAt
            }
        }
        let unacknowledged = stanzas.map { (stanza: $0, message: message(in: $0, at: now)) }
        streamManagement = StreamManagement(
            id: kept.id, location: kept.server, handled: kept.handled, acknowledged: kept.acknowledged,
            unacknowledged: unacknowledged)
        takeOver(kept, unacknowledged: unacknowledged, at: now)
    }

    /// Takes over what may not have arrived, and what the other process has missed.
    private mutating func takeOver(
        _ kept: KeptSession, unacknowledged: [(stanza: Element, message: OutgoingMessage?)], at now: Duration
    ) {
        func messages(_ texts: [KeptSession.Text]?) -> [OutgoingMessage] {
            (texts ?? []).prefix(KeptSession.maxStanzas).compactMap { $0.message(lastReceived: lastReceived) }
        }
        let unsent = messages(kept.unsent)
        let held = Set(unsent.compactMap(\.stanzaID))
        for text in (kept.unshown ?? []).prefix(KeptSession.maxStanzas) {
            guard let message = text.message(lastReceived: lastReceived), let id = text.id, !held.contains(id) else {
                continue
            }
            takeOverUnshown(message, as: id, at: KeptSession.time(text.sent ?? 0, before: lastReceived))
        }
        let shown = Set(kept.shown ?? []).union(held)
        for (stanza, message) in unacknowledged {
            guard var message, let id = stanza["id"], !isPrivate(message), !shown.contains(id) else { continue }
            (message.stanzaID, message.earliestArrival) = (id, lastReceived - Self.longestDelivery)
            takeOverUnshown(message, as: id, at: lastReceived)
        }
        for message in unsent {
            if message.stanzaID == nil { unsentByOther.append(message) } else { enqueueAgain(message, at: now) }
        }
        archives.count = min(max(kept.pages ?? 0, 0), Int(Int32.max))
        failedResumptions = kept.hasUnansweredRequest == true ? 1 : 0
        for absence in kept.absences ?? [] {
            let since = KeptSession.time(absence.since, before: lastReceived)
            if let room = absence.room {
                if let room = try? JID(room) { rooms.update(room) { $0.noteAbsence(since: since) } }
            } else {
                absentSince = since
            }
        }
    }

    /// Returns the message that a stanza of another process transports; nil if it transports none, or only a reaction or a
    /// retraction.
    private func message(in stanza: Element, at now: Duration) -> OutgoingMessage? {
        guard stanza.is("message", Namespace.client), stanza["id"] != nil,
            let target = stanza["to"].flatMap({ try? JID($0) }), !Self.isChange(stanza),
            let text = stanza.first("body", Namespace.client)?.text
        else { return nil }
        // Another occupant may have the nick by now.
        let isToOccupant = target.resource != nil && rooms[target.bare] != nil
        let requester = isToOccupant ? RequesterIdentity(target.description, .unreachable) : nil
        var message = OutgoingMessage(to: target, text, since: now, requester: requester)
        if let id = stanza.first("replace", Namespace.correction)?["id"] { message.reference = .correction(of: id) }
        message.answered = AnsweredMessage(toldBy: stanza["id"])
        message.thread = stanza.first("thread", Namespace.client)?.text
        message.files = stanza.all("file-sharing", Namespace.fileSharing).compactMap { SharedFile($0) }
        return message
    }

    /// Queries the services of the rooms that another process has joined.
    mutating func queryServicesAfterTakeover(at now: Duration) -> [Action] {
        guard isTakenOver else { return [] }
        isTakenOver = false
        unconfirmedMessages.restartWait(at: now)
        for room in rooms.wanted.map(\.address) where rooms[room]?.isInside != true {
            unconfirmedMessages.extendWait(for: room, until: now + SendQueue.maxAge)
        }
        return rooms.inside.flatMap { room -> [Action] in
            let list = configuration.isConfigured(room) ? [] : queryServiceList(at: now)
            return list + queryService(room.domain, at: now)
        }
    }

    /// Records that the session mustn't be resumed.
    package mutating func giveUpResumption() { streamManagement.giveUpResumption() }
}

extension RoomState {
    /// Takes over a room that another process has joined; its occupants are unknown until the room lists them.
    fileprivate mutating func takeOver(_ nick: String, at now: Duration) {
        self.nick = nick
        phase = .inside
        hasAnswered = true
        (joinedAt, lastActivity) = (now, now)
        doubtsList = false
        (isOverfull, awaitsOccupants) = (true, true)
        resync = .scheduled(at: now)
    }
}
