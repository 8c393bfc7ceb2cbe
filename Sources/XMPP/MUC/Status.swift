/// What a room says of a presence or a message, in numbers (XEP-0045 section 15.6.2).
struct Status: Sendable {
    private let codes: Set<String>
    let item: Element?
    let destroyed: Element?

    /// Of a stanza; nil where it has nothing of a room's.
    init?(_ stanza: Element) {
        guard let x = stanza.first("x", Namespace.mucUser) else { return nil }
        codes = Set(x.all("status", Namespace.mucUser).compactMap { $0["code"] })
        item = x.first("item", Namespace.mucUser)
        destroyed = x.first("destroy", Namespace.mucUser)
    }

    func has(_ code: Int) -> Bool { codes.contains(String(code)) }

    /// It is about ourselves.
    var isOwn: Bool { has(110) }
    /// The room has just been made, and nobody is let in before it is set up.
    var isNewRoom: Bool { has(201) }
    var isNickChange: Bool { has(303) }
    var newNick: String? { item?["nick"] }
    var reason: String? { item?.first("reason", Namespace.mucUser)?.text }
    var actor: String? {
        let actor = item?.first("actor", Namespace.mucUser)
        return actor?["nick"] ?? actor?["jid"]
    }

    /// How somebody was made to leave, as `… the room`; nil where they left by themselves.
    var removal: String? {
        if destroyed != nil { return "somebody has destroyed" }
        if has(301) { return "banned from" }
        if has(307) { return "kicked out of" }
        if has(321) || has(322) { return "no longer a member of" }
        if has(332) || has(333) { return "the service has put me out of" }
        return nil
    }
}
