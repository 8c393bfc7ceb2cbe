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
    /// The room is telling; until then at the longest. It may be out of date already, and have to be asked again.
    case running(until: Duration, isOutdated: Bool)

    var due: Duration? {
        switch self {
        case .none: nil
        case .wanted(let time), .running(let time, _): time
        }
    }
}

extension Room {
    /// Between two requests, whatever the room's owners do.
    private static let resyncInterval: Duration = .seconds(10)

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
        case .running(let until, _): resync = .running(until: until, isOutdated: true)
        }
    }

    /// Forgets whom the room hasn't shown again.
    mutating func endResync() {
        guard case .running(_, let isOutdated) = resync else { return }
        resync = isOutdated ? .wanted(at: (resynced ?? .zero) + Self.resyncInterval) : .none
        if !isOutdated { doubted = [:] }
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
                $0.resync = .running(until: now + profile.waits.join, isOutdated: false)
            }
            return room.entrance(extras).map { [.send($0)] } ?? []
        case .running:
            rooms.update(room.address) {
                $0.doubted = [:]
                $0.endResync()
            }
            return flush(at: now)
        }
    }
}
