/// A room we want to be in, and how far we are with that.
struct Room: Sendable {
    enum Phase: Hashable, Sendable {
        /// Until it is time to go in.
        case outside(until: Duration)
        /// Until we know what is at its domain: not every address is a room's.
        case checking
        /// We asked to be let in; until we have waited long enough.
        case entering(until: Duration)
        case inside
    }

    var wanted: Profile.Room
    var address: JID { wanted.address }
    var phase: Phase
    /// What we are called there, or ask to be.
    var nick: String
    /// By nick; ourselves among them.
    var occupants: [String: Occupant] = [:]
    /// Those of whom we no longer know whether they are there, until the room has told again who is.
    var doubted: [String: Occupant] = [:]
    var resync = Resync.none
    /// When we asked it last who is there.
    var resynced: Duration?
    /// When something came from it last.
    var heard: Duration = .zero
    /// We asked whether we are still in it.
    var isAsked = false
    /// When we try to get our nick back; nil if we have it.
    var regains: Duration?
    /// When it let us in last.
    var entered: Duration = .zero
    /// How often in a row we were kicked soon after we came in.
    var kicks = 0
    /// We were invited to it, and until it lets us in it may be anything: somebody else's address, too.
    var isOnTrial: Bool
    /// The subject it tells first is no news (XEP-0045 section 7.2.15).
    var tellsOldSubject = false
    /// When we asked last to be let in.
    var tried: Duration?
    /// What an invitation says lets us in, until we know whether it does.
    var offeredPassword: String?
    /// When we asked last for voice in it.
    var askedForVoice: Duration?
    /// We follow the invitation only if its service is believed in who has sent it.
    var needsTrust = false
    /// Why it doesn't let us in, if it has told.
    var refusal: StanzaError?
    /// Whether it has said that it let us in, or why not, since we were logged in.
    var hasAnswered = false

    init(_ wanted: Profile.Room, nick: String, isOnTrial: Bool, at now: Duration) {
        self.wanted = wanted
        self.nick = nick
        self.isOnTrial = isOnTrial
        phase = .outside(until: now)
    }

    var isInside: Bool { phase == .inside }

    /// Believes, or doesn't, whose addresses it shows.
    mutating func believe(_ isBelieved: Bool) {
        for index in occupants.values.indices { occupants.values[index].isBelieved = isBelieved }
    }

    /// Forgets who is there.
    mutating func forgetOccupants() {
        (occupants, doubted, resync) = ([:], [:], .none)
    }

    /// Our own address in it; nil if our nick can't be part of one.
    var ownAddress: JID? { try? address.with(resource: nick) }

    /// The presence that asks to be let in, without what was said before (XEP-0045 section 7.2).
    func entrance(_ extras: [Element]) -> Element? {
        guard let ownAddress else { return nil }
        var x = Element("x", Namespace.muc)
        if let password = offeredPassword ?? wanted.password {
            x.append(Element("password", Namespace.muc, text: password))
        }
        x.append(Element("history", Namespace.muc, ["maxstanzas": "0", "maxchars": "0"]))
        var presence = Element("presence", Namespace.client, ["to": ownAddress.description], x)
        for extra in extras { presence.append(extra) }
        return presence
    }

    /// When there is something to do.
    func due(_ waits: Waits) -> Duration? {
        switch phase {
        case .outside(let until), .entering(let until): until
        // Its service answers, or the question has its own deadline.
        case .checking: nil
        case .inside:
            [heard + waits.roomSilence, regains, unusedUntil(waits), resync.due].compactMap { $0 }.min()
        }
    }

    /// When we leave it, since we were only invited to it and nobody speaks there; nil if somebody has.
    private func unusedUntil(_ waits: Waits) -> Duration? {
        wanted.inviter != nil && !wanted.isUsed ? entered + waits.unused : nil
    }

    /// Whether it is time for that.
    func isUnused(_ waits: Waits, at now: Duration) -> Bool { unusedUntil(waits).map { $0 <= now } ?? false }
}
