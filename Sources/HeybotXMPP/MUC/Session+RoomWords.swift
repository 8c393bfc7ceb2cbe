// What is said in rooms (XEP-0045 sections 7.4, 7.5 and 8.1).

import HeybotSupport

extension Session {
    /// Takes a message that everybody in one of our rooms gets.
    mutating func takeGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        if sender.isBare, let status = Status(message) { return takeChange(of: address, status, at: now) }
        let stamp = stamp(of: message, from: sender)
        let isDelayed = message.has("delay", Namespace.delay)
        // All that is needed of the room at once, since each search for it costs.
        let known = rooms.update(address) { room -> (occupant: Occupant?, doubted: Occupant?, toldOldSubject: Bool)? in
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
            return (room.occupants[nick], room.doubted[nick], toldOldSubject)
        }
        guard case let (occupant, doubted, toldOldSubject)?? = known else { return [] }
        let person = occupant?.person
        if Self.encryption(of: message) != nil { return [] }
        if message.has("body", Namespace.client) {
            guard let body = Self.body(message) else { return [] }
            return [
                heard(
                    body, message, from: sender, person: person, isPublic: true, room: address,
                    asker: asker(sender, occupant, doubted, at: now))
            ]
        }
        guard stamp == nil, let subject = message.first("subject", Namespace.client), toldOldSubject else { return [] }
        return hear(.topic(subject.text), sender, occupant, doubted, in: address, at: now)
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
                body, message, from: sender, person: person, isPublic: false, room: sender.bare,
                asker: asker(sender, occupant, room.doubted[nick], at: now))
        ]
    }

    // MARK: Who asks

    /// For so long who comes in takes turns together with others who do, so that to come in again and again is of no use.
    private static let newcomerTime: Duration = .seconds(60)

    private func asker(_ sender: JID, _ occupant: Occupant?, _ doubted: Occupant?, at now: Duration) -> Asker {
        let room = sender.bare
        guard let occupant else {
            return Asker(newcomer: sender.description, .unseen(at: now, doubted: doubted?.entry), in: room)
        }
        let entry = occupant.entry
        let isNew = occupant.entered.map { now - $0 < Self.newcomerTime } ?? false
        if let person = occupant.person {
            // Addresses at our own server are hard to come by; at their own somebody has as many as they like.
            let isStranger = isNew && person.domain != profile.address.domain
            return isStranger
                ? Asker(newcomer: person.description, .seen(entry), in: room) : Asker(person, .seen(entry))
        }
        // No nick has a zero.
        let id = occupantID(occupant, in: room) ?? "\(room)/\0\(entry.session)\(entry.number)"
        return isNew ? Asker(newcomer: id, .seen(entry), in: room) : Asker(id, .seen(entry))
    }

    /// What a service that says it tells occupants apart calls one of a room.
    private func occupantID(_ occupant: Occupant, in room: JID) -> String? {
        guard services.identifiesOccupants(at: room.domain), let id = occupant.occupantID else { return nil }
        // No address has such a character in this place.
        return "\(room)#\(id)"
    }

    /// For so long who isn't shown by the room is taken to be there still: whoever has the nick next isn't shown either.
    private static let unseenTime: Duration = .seconds(30)

    /// Where the asker that a chat answers is now, if it is for somebody in a room: a nick is anybody's once they have left it.
    ///
    /// - Returns: Nil if they aren't there any more.
    func place(of chat: Chat, at now: Duration) -> JID? {
        guard let asker = chat.asker, let nick = chat.target.resource else { return chat.target }
        guard let room = rooms[chat.target.bare] else { return asker.stay == .outside ? chat.target : nil }
        func isAsker(_ occupant: Occupant) -> Bool {
            asker.stay.isOf(occupant.entry) || occupant.person?.description == asker.id
                || occupantID(occupant, in: room.address) == asker.id
        }
        if let occupant = room.occupants[nick], isAsker(occupant) { return chat.target }
        let stay = room.occupants.first { asker.stay.isOf($0.value.entry) }
        if let known = stay ?? room.occupants.first(where: { isAsker($0.value) }) {
            return try? room.address.with(resource: known.key)
        }
        guard case .unseen(let then, _) = asker.stay, room.occupants[nick] == nil, now - then < Self.unseenTime else {
            return nil
        }
        return chat.target
    }

    /// What a presence says that the service calls its occupant (XEP-0421 section 3).
    static func occupantID(_ presence: Element) -> String? {
        let all = presence.all("occupant-id", Namespace.occupantID)
        return all.count == 1 ? bounded(all[0]["id"]) : nil
    }

    // MARK: Voice

    /// Between two requests for voice in a room.
    private static let voiceInterval: Duration = .seconds(3_600)

    /// Whether a room lets us hear, but not speak (XEP-0045 section 5.1).
    package func isMute(in room: JID) -> Bool {
        guard let room = rooms[room], room.isInside else { return false }
        return room.occupants[room.nick]?.role == .visitor
    }

    /// Asks a room's moderators to let us speak, at most once an hour (XEP-0045 section 7.13).
    package mutating func askForVoice(in room: JID, at now: Duration) -> [Action] {
        guard isReady, isMute(in: room), let known = rooms[room],
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

    func hear(_ content: RoomEvent, by nick: String, in address: JID, at now: Duration) -> [Action] {
        guard let from = try? address.with(resource: nick) else { return [] }
        let room = rooms[address]
        return hear(content, from, room?.occupants[nick], room?.doubted[nick], in: address, at: now)
    }

    private func hear(
        _ content: RoomEvent, _ from: JID, _ occupant: Occupant?, _ doubted: Occupant?, in address: JID,
        at now: Duration
    ) -> [Action] {
        var heard = Heard(
            content: content, from: from, person: occupant?.person, isPublic: true, room: address)
        heard.asker = asker(from, occupant, doubted, at: now)
        return [.hear(heard)]
    }
}
