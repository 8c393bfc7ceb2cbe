/// Finds the recipient of an answer: the nick of the occupant who asked may be someone else's by now.
struct ReplyRecipientLookup: Sendable {
    let rooms: RoomStates
    let services: MUCServices

    /// Whether the recipient of an answer is still there.
    enum RecipientStatus: Hashable {
        /// The requester, or everyone in a room.
        case known(JID)
        /// This occupant of a room of another server, who may have left unseen: the room has to list its occupants first.
        case unconfirmed(JID)
        /// Someone who may have left the room: the answer waits until the room has listed its occupants.
        case waiting
        /// The requester has left, or the room can't prove that they haven't.
        case gone
    }

    /// How long a hidden requester is assumed to be in the room: the next occupant with the nick would be hidden too.
    private static let hiddenTime: Duration = .seconds(5)

    /// How long a requester is assumed to be in a room of another server.
    ///
    /// A connection between servers loses stanzas when it breaks, which users can bring about.
    private static let remoteTime: Duration = .seconds(1)

    /// Returns the current recipient of a message.
    func recipient(of message: OutgoingMessage, at now: Duration) -> RecipientStatus {
        guard let nick = message.target.resource else { return .known(message.target) }
        guard let room = rooms[message.target.bare] else {
            return message.requester.map { $0.occupantVisibility == .outside } ?? true ? .known(message.target) : .gone
        }
        guard let requester = message.requester else {
            return room.resync.holdsAnswers && room.occupants[nick] == nil ? .waiting : .known(message.target)
        }
        if requester.occupantVisibility == .unreachable { return .gone }
        let isRequester = predicate(for: requester, in: room)
        if let occupant = room.occupants[nick], isRequester(occupant) {
            return confirmed(requester, message.target, occupant, in: room, at: now)
        }
        // The session itself isn't a requester, even if another client of its account is.
        let others = room.occupants.lazy.filter { $0.key != room.nick }
        let current = others.first { requester.occupantVisibility.matches($0.value.stay) }
        if let known = current ?? others.first(where: { isRequester($0.value) }) {
            guard let target = try? room.address.with(resource: known.key) else { return .gone }
            return confirmed(requester, target, known.value, in: room, at: now)
        }
        if room.resync.holdsAnswers, !requester.occupantVisibility.isHidden || room.unverified[nick] != nil {
            return .waiting
        }
        let limit = services.isOwn(room.address.domain) ? Self.hiddenTime : Self.remoteTime
        guard case .hidden(let then, _) = requester.occupantVisibility, room.occupants[nick] == nil, now - then < limit,
            room.lastUnverifiedLeave.map({ $0 < then }) ?? true
        else { return .gone }
        return .known(message.target)
    }

    /// Whether a message can't be sent yet: the session isn't in the room, or the room has to list its occupants first.
    func isWaiting(_ message: OutgoingMessage) -> Bool {
        guard let room = rooms[message.target.bare] else { return false }
        if !room.isInside { return true }
        guard !message.target.isBare, room.resync.holdsAnswers else { return false }
        // Any time does: whether the message waits doesn't depend on it.
        return recipient(of: message, at: .zero) == .waiting
    }

    /// Returns whether an occupant is the requester.
    private func predicate(for requester: RequesterIdentity, in room: RoomState) -> (Occupant) -> Bool {
        let prefix = services.requesterKey(ofOccupantID: "", in: room.address) ?? ""
        let occupantID = !prefix.isEmpty && requester.id.hasPrefix(prefix) ? requester.id.dropFirst(prefix.count) : nil
        return { occupant in
            requester.occupantVisibility.matches(occupant.stay) || occupant.person?.description == requester.id
                || occupantID != nil && occupant.occupantID.map { $0[...] } == occupantID
        }
    }

    private func confirmed(
        _ requester: RequesterIdentity, _ target: JID, _ occupant: Occupant, in room: RoomState, at now: Duration
    ) -> RecipientStatus {
        if services.isOwn(target.domain) { return .known(target) }
        var lastShown = occupant.shownAt
        if case .visible(occupant.stay, let askedAt) = requester.occupantVisibility {
            lastShown = max(lastShown, askedAt)
        }
        if now - lastShown < Self.remoteTime { return .known(target) }
        // Without an address or an occupant id, a list shows nicks only.
        let canConfirm = services.identifiesOccupants(at: target.domain) || occupant.address != nil
        return canConfirm && room.resync.canList ? .unconfirmed(target) : .gone
    }
}
