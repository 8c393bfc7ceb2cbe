// Finds out who is in a room after it may have begun to hide occupants, or after the session may have missed that one left.
//
// A room may show occupants only to some roles (`muc#roomconfig_presencebroadcast`, XEP-0045 section 10.1). An occupant that
// it begins to hide leaves without a presence, and the next one with this nick comes without a presence: the session couldn't
// tell them apart. So after a change of the configuration (status 104) or of a role the occupants concerned are unverified,
// until the room has listed them again.
//
// A list has to be distinguished from other presences of the same occupants: ejabberd also announces the change to a role that it hides
// from then on. The session joins twice while it is in the room. The room processes stanzas one after the other, and answers
// each join with the occupants that it shows, and last the session's own presence (XEP-0045 section 7.2.2) with the id of the
// join. So between the first and the second own presence it sends one whole list, and what it showed before that list is
// known: an occupant that it shows there without a new role is in the list, or in a role that it shows.

extension RoomState {
    /// Marks all occupants as unverified, or only the one with this nick, and schedules the request of the list.
    ///
    /// - Parameter interval: How long after the last request it may be requested again.
    fileprivate mutating func markUnverified(
        _ nick: String?, at now: Duration, after interval: Duration = OccupantResyncState.interval
    ) {
        for other in nick.map({ [$0] }) ?? Array(occupants.keys) where other != self.nick {
            if let occupant = occupants.removeValue(forKey: other) { unverified[other] = occupant }
        }
        switch resync {
        case .idle, .scheduled, .overfull: scheduleResync(at: now, after: interval)
        case .unanswered: break
        case .requested, .listing: resync.invalidate(interval)
        }
    }

    private mutating func scheduleResync(at now: Duration, after interval: Duration) {
        let time = lastResync.map { max($0 + interval, now) } ?? now
        if case .scheduled(let earlier) = resync, earlier < time { return }
        resync = .scheduled(at: time)
    }

    /// Handles a stanza that couldn't be read: it may be the presence of the occupant with this nick, or of anyone if it is
    /// nil.
    mutating func doubt(_ nick: String?, at now: Duration) {
        guard nick != self.nick else { return }
        switch phase {
        case .inside:
            markUnverified(nick, at: now, after: OccupantResyncState.unreadableInterval)
            lastUnverifiedLeave = now
        case .entering: doubtsList = true
        case .outside, .checking: break
        }
    }

    /// Notes that the room has shown an occupant who isn't stored, whose next presence would be taken for a newcomer's.
    mutating func noteOverfull() { isOverfull = true }

    /// Plans another list if the room has had more occupants than the session stores, and has fewer now.
    ///
    /// - Parameter limit: The number of occupants that the session stores.
    mutating func planListIfOverfull(_ limit: Int, at now: Duration) {
        guard isOverfull, isInside, resync == .idle, count < limit else { return }
        resync = .overfull(until: max((lastResync ?? joinedAt) + Session.longStay, now))
    }

    /// Marks an occupant as unverified who may have left unseen, and schedules the request of the list.
    ///
    /// A list that is being sent is right nevertheless.
    fileprivate mutating func suspect(_ nick: String, at now: Duration) {
        guard nick != self.nick, let occupant = occupants.removeValue(forKey: nick) else { return }
        unverified[nick] = occupant
        switch resync {
        case .idle, .overfull: scheduleResync(at: now, after: OccupantResyncState.interval)
        case .scheduled, .requested, .listing, .unanswered: break
        }
    }

    /// Stores an occupant whom the room has shown.
    ///
    /// - Parameters:
    ///   - before: The occupant with the same nick whom the session knew.
    ///   - isProven: Whether both are certainly the same.
    /// - Returns: Whether a verified occupant may be hidden from now on.
    mutating func store(_ occupant: Occupant, before: Occupant?, isProven: Bool) -> Bool {
        let hasNewRole = before.map { $0.isRoleKnown && $0.role != occupant.role } ?? false
        // While the list is awaited, even a newcomer may be an occupant with a role that the room begins to hide.
        let isVerified = !isInside || occupants[occupant.nick] != nil || resync == .idle && !isOverfull
        occupants[occupant.nick] = isVerified ? occupant : nil
        unverified[occupant.nick] = isVerified ? nil : occupant
        if hasNewRole { resync.invalidate() }
        // One who wasn't stored may be there without being in the list, in a role that the room begins to hide.
        if case .listing = resync, before != nil || !isOverfull {
            resync.updateList {
                $0.shown.insert(occupant.nick)
                if isProven { $0.proven.insert(occupant.nick) }
            }
        }
        return isInside && isVerified && hasNewRole
    }

    /// Handles the session's own presence: it begins or ends the list if it answers a join.
    ///
    /// - Parameters:
    ///   - id: The presence's id.
    ///   - limit: How long to wait for the end of the list.
    ///   - isIdentifying: Whether the room's service sets occupant ids.
    /// - Returns: The id of the join to send now, whose answer ends the list.
    fileprivate mutating func handleListEnd(
        _ id: String?, limit: Duration, isIdentifying: Bool, at now: Duration
    ) -> String? {
        // The subject is sent again, as after the first join.
        if resync.isJoining { awaitsFirstSubject = true }
        switch resync {
        case .requested(let list) where list.id == id:
            let end = OccupantResyncState.OccupantList(id: list.id + "b", until: now + limit)
            resync = .listing(end)
            return end.id
        case .listing(let list) where list.id == id:
            finishResync(list, isIdentifying: isIdentifying, at: now)
        case .requested, .listing: resync.updateList { $0.hasSelf = true }
        case .idle, .scheduled, .overfull, .unanswered: break
        }
        return nil
    }

    /// Verifies the occupants who were shown in the list, and removes the others.
    private mutating func finishResync(
        _ list: OccupantResyncState.OccupantList, isIdentifying: Bool, at now: Duration
    ) {
        if let interval = list.repetition {
            resync = .idle
            return scheduleResync(at: now, after: interval)
        }
        let hasOthers = awaitsOccupants || occupants.keys.contains { $0 != nick } || !unverified.isEmpty
        // Services with occupant ids send lists. In other rooms either all others are hidden or gone now, or the room, like
        // older servers, answers a second join only with the session's own presence.
        if list.shown.isEmpty, hasOthers, !isIdentifying {
            return resync = .unanswered(until: max(now, joinedAt + Session.longStay))
        }
        awaitsOccupants = false
        for nick in list.proven {
            if let occupant = unverified.removeValue(forKey: nick) { occupants[nick] = occupant }
            occupants[nick]?.shownAt = now
        }
        // Nobody has seen these leave or change the role. If what was shown is a list, the session has missed it, and the next
        // list confirms that. From services without occupant ids, presences of a few may look like a list.
        let missing = occupants.keys.filter { $0 != nick && !list.shown.contains($0) }
        if !missing.isEmpty {
            let isList = isIdentifying || missing.count <= list.shown.count
            resync = isList ? .idle : .unanswered(until: max(now, joinedAt + Session.longStay))
            for nick in missing { markUnverified(nick, at: now) }
            return
        }
        occupants.merge(unverified.filter { list.shown.contains($0.key) }) { verified, _ in verified }
        unverified = [:]
        resync = .idle
    }

    /// Handles that the room hasn't sent the list, but has shown the session itself.
    fileprivate mutating func abandonResync(at now: Duration) {
        awaitsOccupants = false
        markUnverified(nil, at: now)
        resync = .unanswered(until: max(now, joinedAt + Session.longStay))
    }
}

extension Session {
    /// Handles a configuration change that the room announces.
    mutating func handleConfigurationChange(of room: JID, _ status: MUCStatus, at now: Duration) -> [Action] {
        status.isConfigurationChange && rooms[room]?.isInside == true ? markUnverified(nil, in: room, at: now) : []
    }

    /// Has rooms list their occupants again, because these occupants may have left unseen.
    mutating func confirm(_ occupants: Set<JID>, at now: Duration) -> [Action] {
        if occupants.isEmpty { return [] }
        for occupant in occupants {
            rooms.update(occupant.bare) { $0.suspect(occupant.resource ?? "", at: now) }
        }
        return maintainRooms(at: now)
    }

    mutating func markUnverified(_ nick: String?, in room: JID, at now: Duration) -> [Action] {
        rooms.update(room) { $0.markUnverified(nick, at: now) }
        return maintainRooms(at: now)
    }

    /// Continues the resynchronization of a room with the session's own presence there.
    mutating func handleListEnd(_ room: JID, _ id: String?, at now: Duration) -> [Action] {
        let (limit, max) = (configuration.timeouts.join, maxOccupants(in: room))
        let isIdentifying = services.identifiesOccupants(at: room.domain)
        let next = rooms.update(room) {
            let next = $0.handleListEnd(id, limit: limit, isIdentifying: isIdentifying, at: now)
            $0.planListIfOverfull(max, at: now)
            return next
        }
        guard let next = next ?? nil else { return [] }
        return sendListRequest(room, id: next)
    }

    /// Requests the list, or ends the wait for it.
    mutating func continueResync(_ resync: OccupantResyncState, of room: RoomState, at now: Duration) -> [Action] {
        switch resync {
        case .idle: return []
        case .scheduled, .overfull:
            resyncCount += 1
            let id = "\(idPrefix)join\(resyncCount)"
            let list = OccupantResyncState.OccupantList(id: id, until: now + configuration.timeouts.join)
            rooms.update(room.address) {
                $0.lastResync = now
                $0.resync = .requested(list)
                // The answer to the first join shows everyone too.
                $0.isOverfull = false
            }
            return sendListRequest(room.address, id: list.id)
        case .requested(let list), .listing(let list):
            // The room has forgotten the session.
            if !list.hasSelf { return handleMembershipLost(room.address, at: now) }
            rooms.update(room.address) { $0.abandonResync(at: now) }
            return maintainRooms(at: now)
        case .unanswered: return rejoin(room, at: now)
        }
    }

    private func sendListRequest(_ room: JID, id: String) -> [Action] {
        guard var presence = rooms[room]?.joinPresence(presenceExtensions) else { return [] }
        presence["id"] = id
        return [.send(presence)]
    }

    /// Leaves and joins again.
    private mutating func rejoin(_ room: RoomState, at now: Duration) -> [Action] {
        guard let own = room.ownAddress else { return [] }
        let hearsMissedMessages = hearsMissedMessages
        rooms.update(room.address) {
            $0.phase = .outside(until: now + configuration.timeouts.rejoinDelay)
            if hearsMissedMessages { $0.noteAbsence(since: now) }
            $0.forgetOccupants()
            // Until the room confirms it.
            $0.doubtsList = true
        }
        return [.send(Element("presence", Namespace.client, ["type": "unavailable", "to": own.description]))]
    }
}
