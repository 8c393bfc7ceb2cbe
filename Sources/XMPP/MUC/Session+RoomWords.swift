// What is said in rooms (XEP-0045 sections 7.4, 7.5 and 8.1).

extension Session {
    /// Takes a message that everybody in one of our rooms gets.
    mutating func takeGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        let stamp = stamp(of: message, from: sender)
        let isDelayed = message.has("delay", Namespace.delay)
        // All that is needed of the room at once, since each search for it costs.
        let known = rooms.update(address) { room -> (occupant: Occupant?, toldOldSubject: Bool)? in
            room.heard = now
            guard room.isInside else { return nil }
            let toldOldSubject = !room.tellsOldSubject
            // What follows the subject is of now.
            if room.tellsOldSubject, !isDelayed || message.has("subject", Namespace.client) {
                room.tellsOldSubject = false
            }
            // What comes late before the subject is history, whoever says so.
            guard !isDelayed || toldOldSubject, let nick = sender.resource, nick != room.nick else { return nil }
            room.wanted.isUsed = true
            return (room.occupants[nick], toldOldSubject)
        }
        guard case let (occupant, toldOldSubject)?? = known else { return [] }
        let person = occupant?.person
        if Self.encryption(of: message) != nil { return [] }
        if message.has("body", Namespace.client) {
            guard let body = Self.body(message) else { return [] }
            return [
                heard(
                    body, message, from: sender, person: person, isPublic: true, id: Self.id(of: message, in: address),
                    room: address, asker: asker(message, from: sender, occupant, at: now))
            ]
        }
        guard stamp == nil, let subject = message.first("subject", Namespace.client), toldOldSubject else { return [] }
        return hear(.topic(subject.text), sender, person, in: address, message)
    }

    /// Takes a message that somebody in one of our rooms says to us alone (XEP-0045 section 7.5).
    mutating func takePrivate(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, let nick = sender.resource, nick != room.nick
        else { return [] }
        let occupant = room.occupants[nick]
        let person = occupant?.person
        guard profile.contacts.include(person) else { return [] }
        if let encryption = Self.encryption(of: message) { return hint(at: encryption, to: sender, at: now) }
        guard let body = Self.body(message) else { return [] }
        return [
            heard(
                body, message, from: sender, person: person, isPublic: false, id: Self.id(of: message, in: sender.bare),
                room: sender.bare, asker: asker(message, from: sender, occupant, at: now))
        ]
    }

    // MARK: Who asks

    /// For so long who comes in takes turns together with others who do, so that to come in again and again is of no use.
    private static let newcomerTime: Duration = .seconds(60)

    /// To whom it is accounted what somebody in a room has us do.
    private func asker(_ message: Element, from sender: JID, _ occupant: Occupant?, at now: Duration) -> Asker {
        if let person = occupant?.person { return Asker(person) }
        let room = sender.bare
        // No address has such a character in this place.
        if let id = occupantID(of: message, in: room) { return Asker("\(room)#\(id)") }
        guard let occupant else { return Asker(sender.description, turn: "\(room)#") }
        let isNew = occupant.entered.map { now - $0 < Self.newcomerTime } ?? false
        let id = "\(room)/\(occupant.origin)"
        return Asker(id, turn: isNew ? "\(room)#" : id)
    }

    /// What the room's service calls who sent a message, if it is one that does (XEP-0421 section 3); else anybody could write
    /// it.
    private func occupantID(of message: Element, in room: JID) -> String? {
        guard services.identifiesOccupants(at: room.domain) else { return nil }
        let all = message.all("occupant-id", Namespace.occupantID)
        return all.count == 1 ? Self.bounded(all[0]["id"]) : nil
    }

    // MARK: Voice

    /// Between two requests for voice in a room.
    private static let voiceInterval: Duration = .seconds(3_600)

    /// Whether a room lets us hear, but not speak (XEP-0045 section 5.1).
    public func isMute(in room: JID) -> Bool {
        guard let room = rooms[room], room.isInside else { return false }
        return room.occupants[room.nick]?.role == "visitor"
    }

    /// Asks a room's moderators to let us speak, at most once an hour (XEP-0045 section 7.13).
    public mutating func askForVoice(in room: JID, at now: Duration) -> [Action] {
        guard phase == .ready, isMute(in: room), let known = rooms[room],
            known.askedForVoice.map({ now - $0 >= Self.voiceInterval }) ?? true
        else { return [] }
        rooms.update(room) { $0.askedForVoice = now }
        let fields = [("FORM_TYPE", Namespace.mucRequest), ("muc#role", "participant")].map { name, value in
            Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value))
        }
        var form = Element("x", Namespace.data, ["type": "submit"])
        for field in fields { form.append(field) }
        return [
            .send(Element("message", Namespace.client, ["to": room.description], form)), .note(.mute(room))
        ]
    }

    func hear(_ content: Heard.Content, by nick: String, in address: JID) -> [Action] {
        guard let from = try? address.with(resource: nick) else { return [] }
        return hear(content, from, rooms[address]?.occupants[nick]?.person, in: address)
    }

    private func hear(
        _ content: Heard.Content, _ from: JID, _ person: JID?, in address: JID, _ message: Element? = nil
    ) -> [Action] {
        [
            .hear(
                Heard(
                    content: content, from: from, person: person, isPublic: true,
                    id: message.flatMap { Self.id(of: $0, in: address) }, room: address))
        ]
    }

    /// What the room calls a message (XEP-0359); what the sender calls it nobody need believe.
    private static func id(of message: Element, in room: JID) -> String? {
        let ours = message.first("stanza-id", Namespace.stanzaID)
        // Spares a look at the address, where it is the usual one.
        if let ours, ours["by"] == room.description { return ours["id"] }
        let all = message.all("stanza-id", Namespace.stanzaID)
        return all.first { $0["by"].flatMap { try? JID($0) } == room }?["id"]
    }
}
