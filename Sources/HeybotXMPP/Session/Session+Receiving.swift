import HeybotSupport

// Dispatches incoming stanzas.

extension Session {
    /// Handles a stanza.
    mutating func handle(_ stanza: Element, at now: Duration) -> [Action] {
        guard stanza.namespace == Namespace.client else {
            // They follow a login that has begun or resumed a session (XEP-0388 section 2.6.1).
            if stanza.is("features", Namespace.streams) { stanzaSizeLimit.read(stanza) }
            return []
        }
        var from: JID?
        if let sender = stanza["from"] {
            from = addresses.jid(sender)
            // A sender whose address isn't valid can't be answered either.
            guard let from else { return [] }
            // If only some users may contact the robot, it can't know whether this is one of them.
            if configuration.contacts != .all, rooms[from.bare] == nil, !from.isIdentifying(sender) { return [] }
        }
        switch stanza.name {
        case "message": return handleMessage(stanza, from: from ?? address.bare, at: now)
        case "presence": return handlePresence(stanza, from: from ?? address.bare, at: now)
        case "iq": return handleIQ(stanza, from: from, at: now)
        default: return []
        }
    }

    // MARK: Messages

    private mutating func handleMessage(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        if !archives.isEmpty, let result = message.first("result", Namespace.archive) {
            return handleArchived(result, from: sender, at: now)
        }
        switch message["type"] {
        case "error": return handleMessageError(of: message, from: sender, at: now)
        case "groupchat": return handleGroupchat(message, from: sender, at: now)
        case "headline": return []
        default: break
        }
        if let invitation = Invitation(message, from: sender) {
            guard delayStamp(of: message, from: sender) == nil else { return [] }
            return handleInvitation(invitation, in: message, at: now)
        }
        if let room = rooms[sender.bare], !room.isTentative {
            return handlePrivateMessage(message, from: sender, at: now)
        }
        return handleDirectMessage(message, from: sender, at: now)
    }

    /// Handles a message from outside of the session's rooms.
    ///
    /// - Parameters:
    ///   - missedSince: The time since which the session has missed messages, on the session's clock, if this is one of them.
    ///   - archived: What the account's archive says of the message, if it has found it.
    mutating func handleDirectMessage(
        _ message: Element, from sender: JID, missedSince: Duration? = nil, archived: ArchiveEntry? = nil,
        at now: Duration
    ) -> [Action] {
        // Outside of its own rooms the session can't know who has which nick.
        if sender.local != nil, services.hasOnlyRooms(at: sender.domain) { return [] }
        // Messages from other clients of the same account aren't commands.
        let isIdentified = sender.isIdentifying(message["from"]) && !services.hidesPeople(at: sender.domain)
        let person = isIdentified ? sender.bare : nil
        guard sender.bare != address.bare, configuration.contacts.include(person) else { return [] }
        var requester = RequesterIdentity(person ?? sender)
        requester.limitID = sender.bare.description
        if let encryption = Self.encryption(of: message) {
            return sendEncryptionHint(encryption, to: sender.bare, requester, at: now)
        }
        // As in rooms, what was done to messages meanwhile is of no interest any more.
        let change = archived == nil ? Self.change(in: message) : nil
        guard let content = change ?? Self.body(message).map(ChatEvent.text) else {
            return confirmation(in: message, by: sender)
        }
        let asks = ConfirmationRequests(message)
        let heard = incomingMessage(
            content, message, from: sender, person: person, isPublic: false, room: nil, requester: requester,
            missedSince: missedSince, archived: archived, asks: asks)
        // What an archive has found was confirmed before, or isn't new any more (XEP-0184 section 5.5).
        guard archived == nil else { return [heard] }
        let isHeldBack = unanswered == nil ? false : holdKept(heard)
        let actions = isHeldBack ? [] : [heard]
        return asks.isAnswered ? actions + confirm(message, as: asks, to: sender, at: now) : actions
    }

    private mutating func handleMessageError(of message: Element, from target: JID, at now: Duration) -> [Action] {
        let error = StanzaError(message)
        if let name = takeSubjectRequest(message["id"], of: target) { return [.answer(name, .failure(error))] }
        // The room answers that the session isn't in it (XEP-0045 section 7.4).
        let isLost = target.isBare && error.condition == .notAcceptable
        var actions =
            isFirstDeliveryFailure(to: target) ? [Action.log(.notDelivered(to: target, reason: error.description))] : []
        if isLost { actions += handleMembershipLost(target, at: now) }
        if let id = Self.bounded(message["id"]) {
            if isLost, unconfirmedMessages.noteRefusal(of: id, by: target) { return actions }
            unconfirmedMessages.confirm(id, in: target)
            if tracksMessages { actions.append(.refused(id, by: target)) }
        }
        if isLost { return actions }
        return actions + (target.isBare && isMute(in: target) ? askForVoice(in: target, at: now) : [])
    }

    // MARK: Presence

    private mutating func handlePresence(_ presence: Element, from sender: JID, at now: Duration) -> [Action] {
        if rooms[sender.bare] != nil { return handleRoomPresence(presence, from: sender, at: now) }
        if presence["type"] == "unavailable", MUCStatus(presence)?.isSelfPresence == true {
            rooms.confirmLeave(of: sender.bare)
        }
        // An unavailable session leaves its contacts to the available ones of the same account.
        guard configuration.isAvailable else { return [] }
        switch presence["type"] {
        case "subscribe": return approveSubscription(sender.bare, at: now)
        case "unsubscribe": return cancelSubscription(sender.bare, at: now)
        default: return []
        }
    }

    /// Approves a subscription request (RFC 6121 section 3.1), and requests one in return.
    private mutating func approveSubscription(_ person: JID, at now: Duration) -> [Action] {
        guard peerLimits.admits(person, at: now) else { return [] }
        guard configuration.contacts.include(person) else {
            return [.send(Self.presence("unsubscribed", to: person)), .log(.contactRejected(person))]
        }
        return [
            .send(Self.presence("subscribed", to: person)), .send(Self.presence("subscribe", to: person)),
            .log(.contactAccepted(person))
        ]
    }

    /// Cancels a subscription in both directions.
    private mutating func cancelSubscription(_ person: JID, at now: Duration) -> [Action] {
        guard peerLimits.admits(person, at: now) else { return [] }
        return [
            .send(Self.presence("unsubscribed", to: person)), .send(Self.presence("unsubscribe", to: person))
        ]
    }

    private static func presence(_ type: String, to person: JID) -> Element {
        Element("presence", Namespace.client, ["type": type, "to": person.description])
    }

    // MARK: IQ

    private mutating func handleIQ(_ iq: Element, from sender: JID?, at now: Duration) -> [Action] {
        guard let id = iq["id"] else { return [] }
        switch iq["type"] {
        case "result": return handleIQResponse(id, from: sender, .success(iq.elements.first), at: now)
        case "error": return handleIQResponse(id, from: sender, .failure(StanzaError(iq)), at: now)
        case "get", "set": return answer(iq, from: sender, at: now)
        default: return []
        }
    }

    mutating func handleIQResponse(
        _ id: String, from sender: JID?, _ result: Result<Element?, StanzaError>, at now: Duration
    ) -> [Action] {
        let error: StanzaError? = if case .failure(let error) = result { error } else { nil }
        switch requests.resolve(id: id, from: sender) {
        // Any answer proves that the server is there.
        case .none, .serverPing: return []
        case .roomConfiguration(let room, let isPersistent):
            return handleConfigurationResponse(room, isPersistent: isPersistent, error, at: now)
        case .newRoomInfo(let room): return handleNewRoomInfo(room, (try? result.get())?.flatMap { $0 })
        case .deliveryPing:
            pingFlowControl.reopen()
            unconfirmedMessages.confirmRead()
            return flush(at: now)
        case .selfPing(let own): return handleSelfPingResponse(own, error, at: now)
        case .serviceList:
            services.receiveList((try? result.get())?.flatMap { $0.is("query", Namespace.discoItems) ? $0 : nil })
            updateTrust()
            return resumePendingJoins(at: now)
        case .serviceInfo(let domain):
            if let query = (try? result.get())?.flatMap({ $0 }), query.is("query", Namespace.discoInfo) {
                services.receiveInfo(query, of: domain)
            } else if let error, error.isUnreachable {
                services.failQuery(domain, "its server is unreachable", at: now)
            } else {
                let reason = error.map { " (\($0))" } ?? ""
                services.failQuery(domain, "\(domain) doesn't describe itself\(reason)", at: now)
            }
            return updateTrust(domain) + resumePendingJoins(at: now)
        case .archivePage(let page, let archive):
            return handleArchivePageEnd(page, of: archive, (try? result.get())?.flatMap { $0 }, at: now)
        case .subject(let name):
            guard forgetSubjectRequest(name) else { return [] }
            if let error, error.isUnreachable { return [.answer(name, .failure(error))] }
            return [.answer(name, .success(nil))]
        case .bookmarkSupport: return handleBookmarkSupport((try? result.get())?.flatMap { $0 }, at: now)
        case .bookmarkList: return handleBookmarks(result, at: now)
        case .bookmarkChange(let room): return handleBookmarkChange(room, error)
        case .external(let name): return [.answer(name, result)]
        }
    }

    /// Handles a request that wasn't answered in time.
    mutating func expire(_ purpose: IQTracker.Purpose, at now: Duration) -> [Action] {
        switch purpose {
        case .serverPing: return []
        case .roomConfiguration(let room, let isPersistent):
            let error = StanzaError(type: "wait", condition: .remoteServerTimeout)
            return handleConfigurationResponse(room, isPersistent: isPersistent, error, at: now)
        case .newRoomInfo(let room): return handleNewRoomInfo(room, nil)
        case .deliveryPing:
            pingFlowControl.reopen()
            return []
        // A room that doesn't answer may be back soon: the next ping decides.
        case .selfPing(let own):
            rooms.update(own.bare) { $0.isSelfPingPending = false }
            return []
        case .serviceList:
            services.failListQuery()
            updateTrust()
            return resumePendingJoins(at: now)
        case .serviceInfo(let domain):
            services.failQuery(domain, "its server doesn't answer", at: now)
            return updateTrust(domain) + resumePendingJoins(at: now)
        case .archivePage(let page, let archive):
            guard isCurrent(page, of: archive) else { return [] }
            let kept = unanswered?.giveUp(archive) ?? []
            return kept + handleArchivePageEnd(page, of: archive, nil, at: now)
        case .subject(let name):
            guard forgetSubjectRequest(name) else { return [] }
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .remoteServerTimeout)))]
        case .bookmarkSupport: return handleBookmarkSupport(nil, at: now)
        case .bookmarkList:
            return handleBookmarks(.failure(StanzaError(type: "wait", condition: .remoteServerTimeout)), at: now)
        case .bookmarkChange(let room):
            return handleBookmarkChange(room, StanzaError(type: "wait", condition: .remoteServerTimeout))
        case .external(let name):
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .remoteServerTimeout)))]
        }
    }

    private mutating func answer(_ iq: Element, from sender: JID?, at now: Duration) -> [Action] {
        let isServer = sender == nil || sender?.local == nil && sender?.domain == address.domain
        // The account's server is always answered, others up to their rate limit.
        guard isServer || queryLimits.admits(requester(sender), at: now) else { return [] }
        guard let payload = iq.elements.first else { return [Self.error(.badRequest, "modify", to: iq)] }
        let isAccount = sender == nil || sender == address.bare
        switch (iq["type"], payload.name, payload.namespace) {
        case ("get", "ping", Namespace.ping):
            return [Self.result(nil, to: iq)]
        case ("get", "query", Namespace.version):
            return [
                Self.result(
                    Element(
                        "query", Namespace.version, [:], Element("name", Namespace.version, text: "Heybot"),
                        Element("version", Namespace.version, text: configuration.version)), to: iq)
            ]
        case ("get", "query", Namespace.discoInfo):
            return [
                (EntityCapabilities.info(payload) ?? commandInfo(payload)).map { Self.result($0, to: iq) }
                    ?? Self.error(.itemNotFound, to: iq)
            ]
        case ("get", "query", Namespace.discoItems) where payload["node"] == Namespace.commands:
            return listCommands(iq, from: sender, at: now)
        case ("get", "query", Namespace.discoItems) where payload["node"] != nil:
            return [Self.error(.itemNotFound, to: iq)]
        case ("get", "query", Namespace.discoItems):
            return [Self.result(Element("query", Namespace.discoItems), to: iq)]
        case ("get", "time", Namespace.time):
            return [.tellTime(of: iq)]
        case ("set", "command", Namespace.commands):
            return handleCommand(payload, in: iq, from: sender, at: now)
        // Changes of the roster and of the block list; only the account itself may report them (RFC 6121 section 2.1.6,
        // XEP-0191 section 3.3).
        case ("set", "query", Namespace.roster) where isAccount, ("set", "block", Namespace.blocking) where isAccount,
            ("set", "unblock", Namespace.blocking) where isAccount:
            return [Self.result(nil, to: iq)]
        default:
            return [Self.error(.serviceUnavailable, to: iq)]
        }
    }

    /// Returns the address that answers are counted for: the occupant in a room, otherwise the sender without its resource.
    func requester(_ sender: JID?) -> JID {
        let sender = sender ?? address
        return rooms[sender.bare] == nil ? sender.bare : sender
    }

    /// Answers a time query (XEP-0202).
    ///
    /// - Parameter time: In UTC, such as `2026-11-21T19:00:00Z`.
    package func tell(time: String, to iq: Element) -> [Action] {
        [
            Self.result(
                Element(
                    "time", Namespace.time, [:], Element("tzo", Namespace.time, text: "+00:00"),
                    Element("utc", Namespace.time, text: time)), to: iq)
        ]
    }

    static func result(_ payload: Element?, to iq: Element) -> Action {
        var result = reply("result", to: iq)
        if let payload { result.append(payload) }
        return .send(result)
    }

    static func error(_ condition: DefinedCondition, _ type: String = "cancel", to iq: Element) -> Action {
        var error = reply("error", to: iq)
        error.append(StanzaError(type: type, condition: condition).element)
        return .send(error)
    }

    static func reply(_ type: String, to iq: Element) -> Element {
        var reply = Element("iq", Namespace.client, ["type": type])
        reply["id"] = iq["id"]
        reply["to"] = iq["from"]
        return reply
    }
}
