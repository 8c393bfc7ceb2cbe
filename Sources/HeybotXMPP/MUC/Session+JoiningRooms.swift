// Joins and leaves rooms on request.

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
                actions.append(
                    .send(Element("presence", Namespace.client, ["type": "unavailable", "to": own.description])))
            }
        case .outside, .checking: rooms.forget(address)
        }
        return actions + completeJoining(at: now) + flush(at: now)
    }
}
