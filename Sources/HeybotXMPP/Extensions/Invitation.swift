/// An invitation into a room: by way of the room (XEP-0045 section 7.8.2) or directly (XEP-0249).
struct Invitation: Sendable {
    let room: Profile.Room
    /// Who it is from; if it came by way of the room, that is what the room says.
    let from: JID
    let isMediated: Bool

    /// Nil where the message is none.
    init?(_ message: Element, from sender: JID) {
        if let x = message.first("x", Namespace.mucUser), let invite = x.first("invite", Namespace.mucUser) {
            guard sender.isBare, let from = invite["from"].flatMap({ try? JID($0) }) else { return nil }
            self.from = from
            isMediated = true
            room = Profile.Room(sender, password: x.first("password", Namespace.mucUser)?.text)
        } else if let x = message.first("x", Namespace.conference), let address = x["jid"].flatMap({ try? JID($0) }) {
            from = sender
            isMediated = false
            room = Profile.Room(address, password: x["password"])
        } else {
            return nil
        }
    }
}
