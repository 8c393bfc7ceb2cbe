// Performs what is due in rooms: joins again, leaves idle ones, and pings itself there (XEP-0410).

extension Session {
    /// After this time in a room, a kick wasn't caused by rejoining, and the room may be left and joined again.
    static let longStay: Duration = .seconds(300)

    /// In that time the service notices that a stanza couldn't be delivered, and removes the session from the room.
    static let longestDelivery: Duration = .seconds(60)

    /// Performs what is due in rooms.
    mutating func maintainRooms(at now: Duration) -> [Action] {
        rooms.due(at: now).flatMap { address -> [Action] in
            guard let room = rooms[address] else { return [] }
            switch room.phase {
            case .outside:
                return configuration.isConfigured(address)
                    ? queryService(address.domain, at: now) + sendJoin(room, at: now) : verifyService(of: room, at: now)
            case .checking: return []
            case .entering:
                // It may yet.
                rooms.update(address) { $0.doubtsList = true }
                return handleJoinRefusal(address, "it doesn't answer", at: now)
            case .inside: return maintain(room, at: now)
            }
        }
    }

    private mutating func maintain(_ room: RoomState, at now: Duration) -> [Action] {
        if room.isIdle(configuration.timeouts, at: now) {
            return leave(room.address, "nobody has spoken there", at: now)
        }
        if let due = room.resync.due, due <= now { return continueResync(room.resync, of: room, at: now) }
        if let nickRetryAt = room.nickRetryAt, nickRetryAt <= now {
            rooms.update(room.address) { $0.nickRetryAt = now + configuration.timeouts.nickRetryInterval }
            guard let wanted = try? room.address.with(resource: configuration.nick) else { return [] }
            var presence = presence
            presence["to"] = wanted.description
            return [.send(presence)]
        }
        // The room has been silent for long: check whether the session is still an occupant (XEP-0410).
        rooms.update(room.address) {
            $0.lastActivity = now
            $0.isSelfPingPending = true
        }
        return room.isSelfPingPending ? [] : sendSelfPing(room.address, at: now)
    }

    /// Pings the session's own occupant address, also after a change of nick: Prosody 0.12 may then mistake the room for
    /// empty, and create a new one for the next occupant.
    mutating func sendSelfPing(_ room: JID, at now: Duration) -> [Action] {
        guard let own = rooms[room]?.ownAddress else { return [] }
        return [ask(Element("ping", Namespace.ping), to: own, for: .selfPing(own), at: now)]
    }

    /// Handles the response to a self-ping (XEP-0410 section 3).
    mutating func handleSelfPingResponse(_ own: JID, _ error: StanzaError?, at now: Duration) -> [Action] {
        let room = own.bare
        rooms.update(room) { $0.isSelfPingPending = false }
        // The response to a ping of a former nick says nothing about the current one.
        guard let error, rooms[room]?.isInside == true, rooms[room]?.ownAddress == own else { return [] }
        switch error.condition {
        // The client itself doesn't support pings, but it was reached.
        case .serviceUnavailable, .featureNotImplemented: return []
        // The response is inconclusive; the next ping decides.
        case .remoteServerTimeout, .resourceConstraint, .recipientUnavailable: return []
        // `item-not-found` too: it may mean that the nick has just changed, but rooms that are gone answer the same.
        default: return handleMembershipLost(room, at: now)
        }
    }

    /// Handles that a room no longer knows the session.
    mutating func handleMembershipLost(_ room: JID, at now: Duration) -> [Action] {
        guard let state = rooms[room], state.isInside else { return [] }
        // It was silent for that long before the ping.
        let silence = state.lastActivity - configuration.timeouts.roomPingInterval
        let (since, actions) = holdUnshownMessages(to: room, missedSince: max(silence, state.joinedAt), at: now)
        let missedSince = hearsMissedMessages ? since : nil
        rooms.update(room) {
            // The session returns at once, but later and later to a room that keeps losing it.
            $0.recentRemovals = (now - $0.joinedAt < Self.longStay ? $0.recentRemovals : 0) + 1
            let wait =
                $0.recentRemovals == 1
                ? .zero : configuration.timeouts.rejoinDelay * (1 << min($0.recentRemovals - 2, 8))
            $0.phase = .outside(until: now + wait)
            if let missedSince { $0.noteAbsence(since: missedSince) }
            $0.forgetOccupants()
            // It may be a misunderstanding.
            $0.doubtsList = true
        }
        return [.log(.membershipLost(room))] + actions + maintainRooms(at: now)
    }
}
