// Joins rooms, handles their refusals (XEP-0045 section 7.2), and leaves rooms on request.

extension Session {
    /// Joins a room, and stays in it.
    ///
    /// - Returns: Nil if the session isn't online, or is in the room already. Otherwise the outcome is logged as `joined`,
    ///   `joinAbandoned`, `joinSkipped` or `invitationDeclined`.
    package mutating func join(_ room: SessionConfiguration.Room, at now: Duration) -> [Action]? {
        guard isOnline, rooms[room.address]?.isInside != true else { return nil }
        if rooms[room.address] == nil {
            if let reason = reasonNotToJoin(to: room.address, invitedBy: nil) {
                return [.log(.joinSkipped(room.address, reason: reason))]
            }
            rooms.want(room, isTentative: true, at: now)
            guard rooms[room.address] != nil else {
                return [.log(.joinSkipped(room.address, reason: "I have reached the limit of \(RoomStates.max) rooms"))]
            }
        } else {
            rooms.update(room.address) {
                $0.wanted.inviter = nil
                $0.offeredPassword = room.password
                if case .outside = $0.phase { $0.phase = .outside(until: now) }
            }
        }
        return maintainRooms(at: now)
    }

    /// Leaves a room for good; nil if it isn't one of the session's rooms.
    package mutating func leave(_ room: JID, at now: Duration) -> [Action]? {
        rooms[room] == nil ? nil : leave(room, "on request", at: now)
    }

    mutating func leave(_ address: JID, _ reason: String, at now: Duration) -> [Action] {
        guard let room = rooms[address] else { return [] }
        var actions = [Action.log(.left(room: address, reason: reason))]
        switch room.phase {
        case .entering, .inside:
            rooms.forget(address, mayBeInside: true)
            if let own = room.ownAddress {
                let presence = Element(
                    "presence", Namespace.client, ["type": "unavailable", "to": own.description])
                if isOnline {
                    actions.append(.send(presence))
                } else {
                    // While the session is being resumed: it is sent after that.
                    _ = streamManagement.recordSent(presence)
                }
            }
        case .outside, .checking: rooms.forget(address)
        }
        unconfirmedMessages.forget(address)
        bookmarks.noteLeave(of: address)
        return actions + updateBookmarks(at: now) + completeJoining(at: now) + flush(at: now)
    }

    // MARK: Joins and refusals

    mutating func sendJoin(_ room: RoomState, at now: Duration) -> [Action] {
        let history = room.missedHistory(within: configuration.missedMessageAge, at: now)
        guard let presence = room.joinPresence(presenceExtensions, history: history) else {
            rooms.update(room.address) { $0.nick = configuration.nick }
            return handleJoinRefusal(room.address, "\"\(room.nick)\" isn't a valid nick there: choose another", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .entering(until: now + configuration.timeouts.join)
            $0.forgetOccupants()
            $0.lastActivity = now
            $0.lastAttempt = now
        }
        return [.send(presence)]
    }

    mutating func handleJoinRefusal(_ room: JID, _ reason: String, at now: Duration) -> [Action] {
        if rooms[room]?.isTentative == true {
            rooms.forget(room)
            return [.log(.joinAbandoned(room: room, reason: reason))] + completeJoining(at: now) + flush(at: now)
        }
        rooms.update(room) {
            // The password in an invitation may be wrong, but the known one right.
            let isOffer = $0.offeredPassword != nil && $0.offeredPassword != $0.wanted.password
            $0.phase = .outside(until: now + (isOffer ? .zero : configuration.timeouts.joinRetryDelay))
            $0.forgetOccupants()
            $0.hasAnswered = true
            $0.offeredPassword = nil
        }
        let entry = Action.log(.joinRefused(room: room, reason: reason))
        return [entry] + maintainRooms(at: now) + completeJoining(at: now) + flush(at: now)
    }

    /// Doesn't send a join.
    mutating func skipJoin(_ room: JID, _ reason: String, at now: Duration) -> [Action] {
        if rooms[room]?.isTentative == true {
            rooms.forget(room)
        } else {
            rooms.update(room) {
                $0.phase = .outside(until: now + configuration.timeouts.joinRetryDelay)
                $0.hasAnswered = true
            }
        }
        return [.log(.joinSkipped(room, reason: reason))] + completeJoining(at: now) + flush(at: now)
    }

    /// Handles that the room refuses a join or a change of nick (XEP-0045 section 7.2).
    mutating func handleJoinError(_ error: StanzaError, _ address: JID, at now: Duration) -> [Action] {
        // Inside the room, the wanted nick is still taken, perhaps by an earlier connection of the robot.
        guard let room = rooms[address], case .entering = room.phase else { return [] }
        if error.condition == .conflict, room.nick.utf8.count <= configuration.nick.utf8.count + 3 {
            let hasTriedAll = room.nick.utf8.count == configuration.nick.utf8.count + 3
            let nick = hasTriedAll ? unguessableNick() : room.nick + "_"
            rooms.update(room.address) { $0.nick = nick }
            return rooms[room.address].map { sendJoin($0, at: now) } ?? []
        }
        rooms.update(room.address) {
            $0.nick = configuration.nick
            $0.joinError = error
        }
        return handleJoinRefusal(room.address, reason(error, room), at: now)
    }

    private func reason(_ error: StanzaError, _ room: RoomState) -> String {
        let words: String? =
            switch error.condition {
            case .notAuthorized:
                room.wanted.password == nil ? "it asks for a password" : "wrong password"
            case .forbidden: "the robot is banned"
            case .registrationRequired: "only members may join"
            case .itemNotFound: "there is no such room, or it is still locked"
            case .notAllowed: "creating rooms isn't allowed there"
            case .serviceUnavailable: "it is full"
            case .conflict: "the nick \(configuration.nick) is taken"
            case .notAcceptable: "it requires another nick"
            case .remoteServerNotFound, .remoteServerTimeout: "its server is unreachable"
            default: nil
            }
        return words.map { error.text.isEmpty ? $0 : "\($0) (\(error.text))" } ?? error.description
    }
}
