/// What a room says of a presence or a message, in numbers (XEP-0045 section 15.6.2).
struct Status: Sendable {
    private let codes: Set<String>
    let item: Element?
    let destroyed: Element?

    /// Of a stanza; nil if it has nothing of a room's.
    init?(_ stanza: Element) {
        let all = stanza.all("x", Namespace.mucUser)
        // A room says it once; a second one would be the occupant's own words, which a service ought to take away.
        guard all.count == 1, let x = all.first else { return nil }
        codes = Set(x.all("status", Namespace.mucUser).compactMap { $0["code"] })
        let items = x.all("item", Namespace.mucUser)
        item = items.count == 1 ? items[0] : nil
        destroyed = x.first("destroy", Namespace.mucUser)
    }

    private func has(_ code: Int) -> Bool { codes.contains(String(code)) }

    /// It is about ourselves.
    var isOwn: Bool { has(110) }
    /// The room has just been made, and nobody is let in before it is set up.
    var isNewRoom: Bool { has(201) }
    /// What somebody who doesn't really leave is called from now on.
    var newNick: String? { has(303) ? item?["nick"].flatMap { try? Resourcepart.prepared($0[...]) } : nil }
    /// The room has changed the nick we wanted, or gave us one.
    var isNickAssigned: Bool { has(210) }
    /// What is set for the room has changed, other than whom it shows addresses to.
    var isConfigurationChange: Bool { has(104) }
    /// Somebody's link to the room's server broke, or the service stops: nobody wanted them to leave.
    ///
    /// For the sake of older clients, 307 may come with it.
    private var isTechnical: Bool { has(332) || has(333) }
    var isBan: Bool { has(301) }
    var isKick: Bool { has(307) && !isTechnical }
    /// Who isn't a member any more, or was none when only members were let stay.
    var isForMembers: Bool { has(321) || has(322) }
    var reason: String? { item?.first("reason", Namespace.mucUser)?.text }
    var actor: String? {
        let actor = item?.first("actor", Namespace.mucUser)
        return actor?["nick"] ?? actor?["jid"]
    }

    /// How somebody was made to leave, as `… the room`; nil if they left by themselves.
    var removal: String? {
        if destroyed != nil { return "somebody has destroyed" }
        if isBan { return "banned from" }
        if isKick { return "kicked out of" }
        if isForMembers { return "no longer a member of" }
        if isTechnical { return "the service has put me out of" }
        return nil
    }
}
