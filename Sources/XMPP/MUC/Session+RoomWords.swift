// What is said in rooms (XEP-0045 sections 7.4, 7.5 and 8.1).

extension Session {
    /// Takes a message that everybody in one of our rooms gets.
    mutating func takeGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        let isOld = Self.isOld(message)
        // All that is needed of the room at once, since each search for it costs.
        let known = rooms.update(address) { room -> (person: JID?, toldOldSubject: Bool)? in
            room.heard = now
            guard room.isInside else { return nil }
            let toldOldSubject = !room.tellsOldSubject
            // What follows the subject is of now.
            if room.tellsOldSubject, !isOld || message.has("subject", Namespace.client) {
                room.tellsOldSubject = false
            }
            guard !isOld, let nick = sender.resource, nick != room.nick else { return nil }
            return (room.occupants[nick]?.person, toldOldSubject)
        }
        guard case let (person, toldOldSubject)?? = known else { return [] }
        if let body = Self.body(message) { return hear(.text(body), sender, person, in: address, message) }
        guard let subject = message.first("subject", Namespace.client), toldOldSubject else { return [] }
        return hear(.topic(subject.text), sender, person, in: address, message)
    }

    /// Takes a message that somebody in one of our rooms says to us alone (XEP-0045 section 7.5).
    mutating func takePrivate(_ message: Element, from sender: JID) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, let nick = sender.resource, nick != room.nick,
            !Self.isOld(message), let body = Self.body(message)
        else { return [] }
        let person = room.occupants[nick]?.person
        guard profile.contacts.include(person) else { return [] }
        return hear(.text(body), sender, person, in: sender.bare, message, isPublic: false)
    }

    func hear(_ content: Heard.Content, by nick: String, in address: JID) -> [Action] {
        guard let from = try? address.with(resource: nick) else { return [] }
        return hear(content, from, rooms[address]?.occupants[nick]?.person, in: address)
    }

    private func hear(
        _ content: Heard.Content, _ from: JID, _ person: JID?, in address: JID, _ message: Element? = nil,
        isPublic: Bool = true
    ) -> [Action] {
        [
            .hear(
                Heard(
                    content: content, from: from, person: person, isPublic: isPublic,
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
