// Finding out who is in a room, if it may have begun to hide somebody.
//
// A room may show only people of some roles to the others (`muc#roomconfig_presencebroadcast`, XEP-0045 section 10.1). Whoever
// it begins to hide leaves without a word, and the next with that nick comes without one: for us, they would be the same. So
// after a change of what is set for the room (status 104), or of somebody's role, we believe nothing that we knew, and join
// once more while we are in: then the room tells again who is there.

/// How far we are with finding out who is in a room.
enum Resync: Hashable, Sendable {
    /// Whom we know of is there.
    case none
    /// The room is asked then.
    case wanted(at: Duration)
    /// The room is telling.
    case running(Listing)

    /// What a room has told so far of who is there.
    struct Listing: Hashable, Sendable {
        /// How long it may take at most.
        var until: Duration
        /// Something has changed since we asked, so we have to ask again.
        var isOutdated = false
        var showsOthers = false
        /// What it shows last is our own presence (XEP-0045 section 7.2.2).
        var showsUs = false
    }

    var due: Duration? {
        switch self {
        case .none: nil
        case .wanted(let time): time
        case .running(let listing): listing.until
        }
    }

    mutating func delay(by time: Duration) {
        guard case .running(var listing) = self else { return }
        listing.until += time
        self = .running(listing)
    }
}

extension Room {
    /// Between two requests, whatever the room's owners do.
    private static let resyncInterval: Duration = .seconds(10)
    /// If the room shows only us, others may follow for so long: it may have shown us for another reason.
    private static let listingTime: Duration = .seconds(5)

    /// Doubts that those are there whom we know of, or only the one with that nick.
    fileprivate mutating func doubt(_ doubtful: String?, at now: Duration) {
        for other in doubtful.map({ [$0] }) ?? Array(occupants.keys) where other != nick {
            let occupant = occupants.removeValue(forKey: other)
            // Nor does that make room for thousands more.
            if doubted.count < Session.mostOccupants { doubted[other] = occupant }
        }
        switch resync {
        case .none: resync = .wanted(at: resynced.map { max($0 + Self.resyncInterval, now) } ?? now)
        case .wanted: break
        case .running(var listing):
            listing.isOutdated = true
            resync = .running(listing)
        }
    }

    /// Somebody else has been shown.
    mutating func takeResyncOther() {
        guard case .running(var listing) = resync else { return }
        listing.showsOthers = true
        resync = .running(listing)
    }

    /// We have been shown: then all who are there have been, or else we weren't shown for the asking.
    mutating func takeResyncOwn(at now: Duration) {
        guard case .running(var listing) = resync else { return }
        if listing.showsOthers || doubted.isEmpty { return endResync() }
        if !listing.showsUs { listing.until = min(listing.until, now + Self.listingTime) }
        listing.showsUs = true
        resync = .running(listing)
    }

    /// Forgets whom the room hasn't shown again.
    fileprivate mutating func endResync() {
        guard case .running(let listing) = resync else { return }
        resync = listing.isOutdated ? .wanted(at: (resynced ?? .zero) + Self.resyncInterval) : .none
        if !listing.isOutdated { doubted = [:] }
    }
}

extension Session {
    /// Takes what the room itself says of a change of its settings.
    mutating func takeChange(of room: JID, _ status: Status, at now: Duration) -> [Action] {
        status.isConfigurationChange && rooms[room]?.isInside == true ? doubt(nil, in: room, at: now) : []
    }

    mutating func doubt(_ nick: String?, in room: JID, at now: Duration) -> [Action] {
        rooms.update(room) { $0.doubt(nick, at: now) }
        return enterRooms(at: now)
    }

    /// Asks the room, or has waited for long enough for it to tell.
    mutating func goOn(with resync: Resync, of room: Room, at now: Duration) -> [Action] {
        switch resync {
        case .none: return []
        case .wanted:
            rooms.update(room.address) {
                $0.resynced = now
                // As after the first join, the subject comes again.
                $0.tellsOldSubject = true
                $0.resync = .running(Resync.Listing(until: now + profile.waits.join))
            }
            return room.entrance(extras).map { [.send($0)] } ?? []
        case .running(let listing):
            // It has forgotten us, or never says anything of us again.
            if !listing.showsUs { return loseRoom(room.address, at: now) }
            if !listing.showsOthers, now - room.entered >= Self.stay { return rejoin(room, at: now) }
            rooms.update(room.address) { $0.endResync() }
            return flush(at: now)
        }
    }

    /// Leaves and joins: either all the others are hidden now, or the room answers who joins twice with nothing but their own
    /// presence, as older servers do.
    private mutating func rejoin(_ room: Room, at now: Duration) -> [Action] {
        guard let own = room.ownAddress else { return [] }
        rooms.update(room.address) {
            $0.phase = .outside(until: now + profile.waits.rejoin)
            $0.forgetOccupants()
        }
        return [.send(Element("presence", Namespace.client, ["type": "unavailable", "to": own.description]))]
    }
}
