/// The state of a room that the session is in or wants to be in.
struct RoomState: Sendable {
    enum Phase: Hashable, Sendable {
        /// Not in the room, until the next attempt.
        case outside(until: Duration)
        /// Waiting for the description of its service: not every address is a room's.
        case checking
        /// Waiting for the room to answer the join, until a deadline.
        case entering(until: Duration)
        case inside
    }

    var wanted: SessionConfiguration.Room
    var address: JID { wanted.address }
    var phase: Phase
    /// The current nick, or the one to join with.
    var nick: String
    /// By nick, including the session itself.
    var occupants: [String: Occupant] = [:]
    /// The occupants who may have left unseen, until the room has listed them again.
    var unverified: [String: Occupant] = [:]
    /// The occupants whose nicks aren't in the normal form, by the bytes of these nicks: they are never verified, because another
    /// occupant may have the normal form.
    var unusual: [[UInt8]: Occupant] = [:]
    /// The room has shown more occupants than the session stores, so an unknown one may have been there before.
    var isOverfull = false
    /// Another process has joined the room, and the room hasn't listed its occupants since; the occupants that it
    /// shows now were there before.
    var awaitsOccupants = false
    var resync = OccupantResyncState.idle
    /// When the list of occupants was last requested.
    var lastResync: Duration?
    /// When an occupant last left whom the session hadn't verified.
    var lastUnverifiedLeave: Duration?
    /// The room's answer to the last join may be something else than its list: the session may still have been in the room, or
    /// couldn't read a part of the answer.
    var doubtsList = false
    /// When the room last sent anything.
    var lastActivity: Duration = .zero
    /// Whether a self-ping is unanswered.
    var isSelfPingPending = false
    /// When to try to get the configured nick back; nil if there is no need to.
    var nickRetryAt: Duration?
    /// When the room last accepted a join.
    var joinedAt: Duration = .zero
    /// The number of kicks and lost memberships in a row, each soon after joining.
    var recentRemovals = 0
    /// The room was named by an invitation or a user: until it accepts the join it may be anything, even a user's address.
    var isTentative: Bool
    /// The first subject after joining isn't news (XEP-0045 section 7.2.15).
    var awaitsFirstSubject = false
    /// When the last join was sent.
    var lastAttempt: Duration?
    /// The password in an invitation, until the room has accepted it.
    var offeredPassword: String?
    /// When voice was last requested.
    var voiceRequestedAt: Duration?
    /// Whether to follow the invitation only if the service is trusted to name its sender.
    var needsTrust = false
    /// Why the room refused the last join.
    var joinError: StanzaError?
    /// Whether the room has accepted or refused a join since the login.
    var hasAnswered = false

    init(_ wanted: SessionConfiguration.Room, nick: String, isTentative: Bool, at now: Duration) {
        self.wanted = wanted
        self.nick = nick
        self.isTentative = isTentative
        phase = .outside(until: now)
    }

    var isInside: Bool { phase == .inside }

    /// Trusts the addresses that the room shows, or stops doing so.
    mutating func setTrust(_ isTrusted: Bool) {
        for index in occupants.values.indices { occupants.values[index].isTrusted = isTrusted }
        for index in unverified.values.indices { unverified.values[index].isTrusted = isTrusted }
        for index in unusual.values.indices { unusual.values[index].isTrusted = isTrusted }
    }

    /// The number of occupants who are stored.
    var count: Int { occupants.count + unverified.count + unusual.count }

    /// Returns the occupants with a nick.
    ///
    /// - Parameter address: The occupant's address as it was received.
    func occupants(_ nick: String, from address: String?) -> OccupantsSharingNick {
        JID.isNormalResource(in: address, nick)
            ? OccupantsSharingNick(verified: occupants[nick], unverified: unverified[nick])
            : OccupantsSharingNick(unverified: unusual[Array(JID.resource(in: address))], isUnusual: true)
    }

    /// Removes all occupants.
    mutating func forgetOccupants() {
        (occupants, unverified, unusual, isOverfull, resync) = ([:], [:], [:], false, .idle)
        awaitsOccupants = false
    }

    /// Handles the session's own presence while it believes to be outside: the answer to a join or to leaving.
    ///
    /// Some rooms don't mark the own presence; before the session has left, nobody else has its nick.
    mutating func handleOwnPresence(_ presence: Element, isOwnNick: Bool) {
        let isMarked = MUCStatus(presence)?.isSelfPresence == true
        switch presence["type"] {
        case nil where isMarked: doubtsList = true
        case "unavailable" where isMarked || isOwnNick: doubtsList = false
        default: break
        }
    }

    /// The session's address in the room; nil if the nick isn't valid.
    var ownAddress: JID? { try? address.with(resource: nick) }

    /// The number of messages that a room may repeat.
    private static let maxMissed = 100

    /// Notes that the session misses what is said from a time on, until it is back.
    mutating func noteAbsence(since time: Duration) { wanted.missedSince = wanted.missedSince ?? time }

    /// Returns the request for the messages that the session has missed since it was last inside; nil if there are none.
    ///
    /// - Parameter longest: How old they may be.
    func missedHistory(within longest: Duration, at now: Duration) -> Element? {
        guard let since = wanted.missedSince, longest > .zero else { return nil }
        // The number of seconds doesn't depend on the clocks of others.
        let seconds = min(max(now - since, .zero), longest).components.seconds + 1
        return Element("history", Namespace.muc, ["seconds": "\(seconds)", "maxstanzas": "\(Self.maxMissed)"])
    }

    /// Returns the presence that joins the room (XEP-0045 section 7.2).
    ///
    /// - Parameter history: Requests messages; nil for none.
    func joinPresence(_ presenceExtensions: [Element], history: Element? = nil) -> Element? {
        guard let ownAddress else { return nil }
        var x = Element("x", Namespace.muc)
        if let password = offeredPassword ?? wanted.password {
            x.append(Element("password", Namespace.muc, text: password))
        }
        x.append(history ?? Element("history", Namespace.muc, ["maxstanzas": "0", "maxchars": "0"]))
        var presence = Element("presence", Namespace.client, ["to": ownAddress.description], x)
        for extra in presenceExtensions { presence.append(extra) }
        return presence
    }

    /// Returns when something is due.
    func due(_ timeouts: Timeouts) -> Duration? {
        switch phase {
        case .outside(let until), .entering(let until): until
        // The service answers, or the query has its own deadline.
        case .checking: nil
        case .inside:
            [lastActivity + timeouts.roomPingInterval, nickRetryAt, idleDeadline(timeouts), resync.due].compactMap {
                $0
            }.min()
        }
    }

    /// Returns when to leave a room that the session was invited to; nil if somebody has spoken there.
    private func idleDeadline(_ timeouts: Timeouts) -> Duration? {
        wanted.inviter != nil && !wanted.isUsed ? joinedAt + timeouts.idleRoom : nil
    }

    /// Whether it is time to leave because nobody speaks.
    func isIdle(_ timeouts: Timeouts, at now: Duration) -> Bool { idleDeadline(timeouts).map { $0 <= now } ?? false }
}
