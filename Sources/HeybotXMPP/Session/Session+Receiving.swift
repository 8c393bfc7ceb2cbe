import HeybotSupport

// What each stanza means.

extension Session {
    /// Takes a stanza.
    mutating func take(_ stanza: Element, at now: Duration) -> [Action] {
        guard stanza.namespace == Namespace.client else { return [] }
        var from: JID?
        if let sender = stanza["from"] {
            from = addresses.jid(sender)
            // Whoever can't be named can't be answered either.
            if from == nil { return [] }
        }
        switch stanza.name {
        case "message": return takeMessage(stanza, from: from ?? address.bare, at: now)
        case "presence": return takePresence(stanza, from: from ?? address.bare, at: now)
        case "iq": return takeIQ(stanza, from: from, at: now)
        default: return []
        }
    }

    // MARK: Messages

    private mutating func takeMessage(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        switch message["type"] {
        case "error": return takeError(of: message, from: sender, at: now)
        case "groupchat": return takeGroupchat(message, from: sender, at: now)
        case "headline": return []
        default: break
        }
        if let invitation = Invitation(message, from: sender) {
            return stamp(of: message, from: sender) == nil ? follow(invitation, at: now) : []
        }
        if let room = rooms[sender.bare], !room.isOnTrial { return takePrivate(message, from: sender, at: now) }
        // In a room that we aren't in, nobody knows who has which nick.
        if sender.local != nil, services.hidesPeople(at: sender.domain) { return [] }
        // What other clients of our own account say is no command.
        guard sender.bare != address.bare, profile.contacts.include(sender) else { return [] }
        if let encryption = Self.encryption(of: message) { return hint(at: encryption, to: sender.bare, at: now) }
        guard let body = Self.body(message) else { return [] }
        return [heard(body, message, from: sender, person: sender.bare, isPublic: false, room: nil)]
    }

    private mutating func takeError(of message: Element, from target: JID, at now: Duration) -> [Action] {
        let error = StanzaError(message)
        // The room says that we aren't in it (XEP-0045 section 7.4).
        let isLost = target.isBare && error.condition == .notAcceptable
        let note = isNewlyUnsaid(to: target) ? [Action.note(.unsaid(to: target, reason: error.description))] : []
        if isLost { return note + loseRoom(target, at: now) }
        return note + (target.isBare && isMute(in: target) ? askForVoice(in: target, at: now) : [])
    }

    // MARK: Presence

    private mutating func takePresence(_ presence: Element, from sender: JID, at now: Duration) -> [Action] {
        if rooms[sender.bare] != nil { return takeRoomPresence(presence, from: sender, at: now) }
        // Who isn't there for contacts leaves them to whoever is, with the same account.
        guard profile.isAvailable else { return [] }
        switch presence["type"] {
        case "subscribe": return befriend(sender.bare, at: now)
        case "unsubscribe": return unfriend(sender.bare, at: now)
        default: return []
        }
    }

    /// Somebody wants to see our presence (RFC 6121 section 3.1): they may, and we ask to see theirs.
    private mutating func befriend(_ person: JID, at now: Duration) -> [Action] {
        guard answers.admits(person, at: now) else { return [] }
        guard profile.contacts.include(person) else {
            return [.send(Self.presence("unsubscribed", to: person)), .note(.contactRefused(person))]
        }
        return [
            .send(Self.presence("subscribed", to: person)), .send(Self.presence("subscribe", to: person)),
            .note(.befriended(person))
        ]
    }

    /// Somebody doesn't want to see our presence any more: then we need not see theirs either.
    private mutating func unfriend(_ person: JID, at now: Duration) -> [Action] {
        guard answers.admits(person, at: now) else { return [] }
        return [
            .send(Self.presence("unsubscribed", to: person)), .send(Self.presence("unsubscribe", to: person))
        ]
    }

    private static func presence(_ type: String, to person: JID) -> Element {
        Element("presence", Namespace.client, ["type": type, "to": person.description])
    }

    // MARK: IQ

    private mutating func takeIQ(_ iq: Element, from sender: JID?, at now: Duration) -> [Action] {
        guard let id = iq["id"] else { return [] }
        switch iq["type"] {
        case "result": return takeAnswer(id, from: sender, .success(iq.elements.first), at: now)
        case "error": return takeAnswer(id, from: sender, .failure(StanzaError(iq)), at: now)
        case "get", "set": return answer(iq, from: sender, at: now)
        default: return []
        }
    }

    mutating func takeAnswer(
        _ id: String, from sender: JID?, _ result: Result<Element?, StanzaError>, at now: Duration
    ) -> [Action] {
        let error: StanzaError? = if case .failure(let error) = result { error } else { nil }
        switch requests.answer(id: id, from: sender) {
        // Whatever it answers, it is there; and what opens a room needs no more.
        case .none, .alive, .openRoom: return []
        case .taken:
            sendWindow.confirm()
            return flush(at: now)
        case .inRoom(let own): return takeSelfPing(own, error, at: now)
        case .services:
            services.takeList((try? result.get())?.flatMap { $0.is("query", Namespace.discoItems) ? $0 : nil })
            return goOn(at: now)
        case .service(let domain):
            if let query = (try? result.get())?.flatMap({ $0 }), query.is("query", Namespace.discoInfo) {
                services.take(query, of: domain)
            } else if let error, error.isUnreachable {
                services.giveUp(domain, "its server can't be reached", at: now)
            } else {
                let reason = error.map { " (\($0))" } ?? ""
                services.giveUp(domain, "\(domain) doesn't say what it is\(reason)", at: now)
            }
            return judge(domain) + goOn(at: now)
        case .other(let name): return [.answer(name, result)]
        }
    }

    /// What we asked wasn't answered in time.
    mutating func expire(_ purpose: Requests.Purpose, at now: Duration) -> [Action] {
        switch purpose {
        case .alive, .openRoom: return []
        case .taken:
            sendWindow.reopen()
            return []
        // A room that doesn't answer may be back soon: the next time may tell.
        case .inRoom(let own):
            rooms.update(own.bare) { $0.isAsked = false }
            return []
        case .services:
            services.giveUpList()
            return goOn(at: now)
        case .service(let domain):
            services.giveUp(domain, "its server doesn't answer", at: now)
            return judge(domain) + goOn(at: now)
        case .other(let name):
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .remoteServerTimeout)))]
        }
    }

    private mutating func answer(_ iq: Element, from sender: JID?, at now: Duration) -> [Action] {
        let isServer = sender == nil || sender?.local == nil && sender?.domain == address.domain
        // Our server is always answered, others as often as is reasonable.
        guard isServer || answers.admits(asker(sender), at: now) else { return [] }
        guard let payload = iq.elements.first else { return [Self.error(.badRequest, "modify", to: iq)] }
        switch (iq["type"], payload.name, payload.namespace) {
        case ("get", "ping", Namespace.ping):
            return [Self.result(nil, to: iq)]
        case ("get", "query", Namespace.version):
            return [
                Self.result(
                    Element(
                        "query", Namespace.version, [:], Element("name", Namespace.version, text: "Heybot"),
                        Element("version", Namespace.version, text: profile.version)), to: iq)
            ]
        case ("get", "query", Namespace.discoInfo):
            return [Disco.info(payload).map { Self.result($0, to: iq) } ?? Self.error(.itemNotFound, to: iq)]
        case ("get", "query", Namespace.discoItems) where payload["node"] != nil:
            return [Self.error(.itemNotFound, to: iq)]
        case ("get", "query", Namespace.discoItems):
            return [Self.result(Element("query", Namespace.discoItems), to: iq)]
        case ("get", "time", Namespace.time):
            return [.tellTime(of: iq)]
        // Our own account's list of contacts has changed; nobody else may tell us so (RFC 6121 section 2.1.6).
        case ("set", "query", Namespace.roster) where sender == nil || sender == address.bare:
            return [Self.result(nil, to: iq)]
        default:
            return [Self.error(.serviceUnavailable, to: iq)]
        }
    }

    /// Whom an answer is counted to: in a room the occupant, else the person or server, whatever resource they use.
    func asker(_ sender: JID?) -> JID {
        let sender = sender ?? address
        return rooms[sender.bare] == nil ? sender.bare : sender
    }

    /// Tells who asked what time it is with us (XEP-0202).
    ///
    /// - Parameter time: In UTC, as `2026-11-21T19:00:00Z`.
    package func tell(time: String, to iq: Element) -> [Action] {
        [
            Self.result(
                Element(
                    "time", Namespace.time, [:], Element("tzo", Namespace.time, text: "+00:00"),
                    Element("utc", Namespace.time, text: time)), to: iq)
        ]
    }

    private static func result(_ payload: Element?, to iq: Element) -> Action {
        var result = reply("result", to: iq)
        if let payload { result.append(payload) }
        return .send(result)
    }

    static func error(_ condition: ErrorCondition, _ type: String = "cancel", to iq: Element) -> Action {
        var error = reply("error", to: iq)
        error.append(StanzaError(type: type, condition: condition).element)
        return .send(error)
    }

    private static func reply(_ type: String, to iq: Element) -> Element {
        var reply = Element("iq", Namespace.client, ["type": type])
        reply["id"] = iq["id"]
        reply["to"] = iq["from"]
        return reply
    }
}
