// What is said in rooms (XEP-0045 sections 7.4, 7.5 and 8.1).

extension Session {
    /// Takes a message that everybody in one of our rooms gets.
    mutating func takeGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        guard let room = rooms[address] else { return [] }
        rooms.update(address) { $0.heard = now }
        guard room.isInside else { return [] }
        // What follows the subject is of now.
        if !Self.isOld(message) || message.has("subject", Namespace.client) {
            rooms.update(address) { $0.tellsOldSubject = false }
        }
        guard !Self.isOld(message), let nick = sender.resource, nick != room.nick else { return [] }
        if let body = Self.body(message) { return hear(.text(body), sender, in: address, message) }
        guard let subject = message.first("subject", Namespace.client), !room.tellsOldSubject else { return [] }
        return hear(.topic(subject.text), sender, in: address, message)
    }

    /// Takes a message that somebody in one of our rooms says to us alone (XEP-0045 section 7.5).
    mutating func takePrivate(_ message: Element, from sender: JID) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, let nick = sender.resource, nick != room.nick,
            !Self.isOld(message), let body = Self.body(message),
            profile.contacts.include(room.occupants[nick]?.person)
        else { return [] }
        return hear(.text(body), sender, in: sender.bare, message, isPublic: false)
    }

    func hear(_ content: Heard.Content, by nick: String, in address: JID) -> [Action] {
        (try? address.with(resource: nick)).map { hear(content, $0, in: address) } ?? []
    }

    private func hear(
        _ content: Heard.Content, _ from: JID, in address: JID, _ message: Element? = nil, isPublic: Bool = true
    ) -> [Action] {
        let person = from.resource.flatMap { rooms[address]?.occupants[$0]?.person }
        return [
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
