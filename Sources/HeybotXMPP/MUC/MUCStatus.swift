/// The status codes and the item that a room adds to a presence or a message (XEP-0045 section 15.6.2).
struct MUCStatus: Sendable {
    private let codes: Set<String>
    let item: Element?
    let destroyElement: Element?

    /// Reads a stanza; nil if it has no such element.
    init?(_ stanza: Element) {
        let all = stanza.all("x", Namespace.mucUser)
        // A room adds it once; a second one would be the occupant's own, which the service should have removed.
        guard all.count == 1, let x = all.first else { return nil }
        codes = Set(x.all("status", Namespace.mucUser).compactMap { $0["code"] })
        let items = x.all("item", Namespace.mucUser)
        // Prosody sends one for each client with the nick. If they say different things, none counts.
        item = Set(items.map(Self.identity)).count == 1 ? items.first : nil
        destroyElement = x.first("destroy", Namespace.mucUser)
    }

    /// What an item says of an occupant, whichever client it is about.
    private static func identity(_ item: Element) -> [String?] {
        [item["jid"].map { $0.prefix { $0 != "/" } }.map(String.init), item["affiliation"], item["role"], item["nick"]]
    }

    private func has(_ code: Int) -> Bool { codes.contains(String(code)) }

    /// The presence is the session's own.
    var isSelfPresence: Bool { has(110) }
    /// The room has just been created, and is locked until it is configured.
    var isNewRoom: Bool { has(201) }
    /// The new nick of an occupant who changes it; nil if it isn't in its normal form.
    var newNick: String? { preparedNewNick.flatMap { $0.utf8.elementsEqual((item?["nick"] ?? "").utf8) ? $0 : nil } }
    /// The bytes of a new nick that isn't in its normal form.
    var unusualNewNick: [UInt8]? {
        newNick == nil && preparedNewNick != nil ? item?["nick"].map { Array($0.utf8) } : nil
    }
    private var preparedNewNick: String? {
        has(303) ? item?["nick"].flatMap { try? Resourcepart.prepared($0[...]) } : nil
    }
    /// The room has assigned or changed the nick.
    var isNickAssigned: Bool { has(210) }
    /// The room's configuration has changed, other than the visibility of addresses.
    var isConfigurationChange: Bool { has(104) }
    /// The occupant was removed because of a technical problem, or the service shuts down.
    ///
    /// For older clients, 307 may be added.
    var isTechnical: Bool { has(332) || has(333) }
    var isBan: Bool { has(301) }
    var isKick: Bool { has(307) && !isTechnical }
    /// The occupant has lost membership, or the room became members-only.
    var isMembersOnlyRemoval: Bool { has(321) || has(322) }
    var reason: String? { item?.first("reason", Namespace.mucUser)?.text }
    var actor: String? {
        let actor = item?.first("actor", Namespace.mucUser)
        return actor?["nick"] ?? actor?["jid"]
    }

    /// How the occupant was removed, as the beginning of `… the room`; nil if the occupant left.
    var removalPhrase: String? {
        if destroyElement != nil { return "removed by the destruction of" }
        if isBan { return "banned from" }
        if isKick { return "kicked from" }
        if isMembersOnlyRemoval { return "no longer a member of" }
        if isTechnical { return "removed by the service from" }
        return nil
    }
}
