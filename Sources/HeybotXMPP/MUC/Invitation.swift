/// An invitation to a room: mediated by the room (XEP-0045 section 7.8.2) or direct (XEP-0249).
struct Invitation: Sendable {
    let room: SessionConfiguration.Room
    /// The sender; in a mediated invitation, as the room names it.
    let from: JID
    /// Whether the sender's address is in its normal form; any other form may be another account's.
    let isIdentifying: Bool
    let isMediated: Bool

    /// Reads a message; nil if it isn't an invitation.
    init?(_ message: Element, from sender: JID) {
        if let x = message.first("x", Namespace.mucUser), let invite = x.first("invite", Namespace.mucUser) {
            guard sender.isBare, let from = invite["from"].flatMap({ try? JID($0) }) else { return nil }
            self.from = from
            isIdentifying = from.isIdentifying(invite["from"])
            isMediated = true
            room = SessionConfiguration.Room(sender, password: x.first("password", Namespace.mucUser)?.text)
        } else if let x = message.first("x", Namespace.conference), let address = x["jid"].flatMap({ try? JID($0) }) {
            from = sender
            isIdentifying = sender.isIdentifying(message["from"])
            isMediated = false
            room = SessionConfiguration.Room(address, password: x["password"])
        } else {
            return nil
        }
    }
}
