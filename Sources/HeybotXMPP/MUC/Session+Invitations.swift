// Follows invitations (XEP-0045 section 7.8.2, XEP-0249), and checks whether an address is a room's.

extension Session {
    mutating func handleInvitation(_ invitation: Invitation, in message: Element, at now: Duration) -> [Action] {
        var room = invitation.room
        let by = invitation.from.description
        if rooms[room.address]?.isInside == true { return [] }
        // The sender that an untrusted room names may be made up.
        let sender = invitation.isMediated && !trusts(room.address) ? room.address : invitation.from
        guard peerLimits.admits(requester(sender), at: now) else { return [] }
        let (isInvited, needsTrust) = mayInvite(invitation, in: message)
        if rooms[room.address] != nil { return isInvited && !needsTrust ? retry(room, by: by, at: now) : [] }
        guard configuration.acceptsInvitations, isInvited else {
            return [.log(.invited(room: room.address, by: by, accepted: false))]
        }
        if let reason = reasonNotToJoin(to: room.address, invitedBy: sender) {
            return [.log(.invitationDeclined(room: room.address, by: by, reason: reason))]
        }
        room.inviter = sender.bare.description
        rooms.want(room, isTentative: true, at: now)
        rooms.update(room.address) { $0.needsTrust = needsTrust }
        return [.log(.invited(room: room.address, by: by, accepted: true))] + maintainRooms(at: now)
    }

    /// The maximum number of rooms by invitation of one foreign domain, and of the account's own.
    private static let maxPerDomain = (others: 50, own: 250)
    /// The maximum number of rooms by invitation of one person.
    private static let maxPerInviter = 20

    /// - Parameter sender: The person or room that invites; nil if an admin has asked for the join.
    private func reasonNotToJoin(to room: JID, invitedBy sender: JID?) -> String? {
        guard !configuration.isConfigured(room) else { return nil }
        // An account's address isn't a room's, and the account's domain has accounts.
        guard room.local != nil, room.domain != configuration.address.domain else {
            return "the address isn't a room"
        }
        if rooms.isFull { return "I have reached the limit of \(RoomStates.max) rooms" }
        guard let sender else { return nil }
        if rooms.count(where: { $0 == sender.bare }) >= Self.maxPerInviter {
            return "I have reached the limit of \(Self.maxPerInviter) rooms that \(sender.bare) may invite me to"
        }
        let max = sender.domain == configuration.address.domain ? Self.maxPerDomain.own : Self.maxPerDomain.others
        return rooms.count { $0.domain == sender.domain } >= max
            ? "I have reached the limit of \(max) rooms that \(sender.domain) may invite me to" : nil
    }

    /// The minimum time between two attempts to join a room because of repeated invitations.
    private static let retryInterval: Duration = .seconds(10)

    /// Retries at once a join that a room has refused, with the password in the invitation.
    private mutating func retry(_ room: SessionConfiguration.Room, by: String, at now: Duration) -> [Action] {
        guard let known = rooms[room.address], case .outside = known.phase,
            known.lastAttempt.map({ now - $0 >= Self.retryInterval }) ?? true
        else { return [] }
        rooms.update(room.address) {
            $0.phase = .outside(until: now)
            $0.offeredPassword = room.password
        }
        return [.log(.invited(room: room.address, by: by, accepted: true))] + maintainRooms(at: now)
    }

    // MARK: Joining and leaving

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

    /// Whether the sender of an invitation may send one, and whether that depends on trusting the room's service.
    private func mayInvite(_ invitation: Invitation, in message: Element) -> (Bool, needsTrust: Bool) {
        if case .all = configuration.contacts { return (true, false) }
        guard configuration.contacts.include(person(invitation.from, in: message)) else { return (false, false) }
        // Any room can put any sender into an invitation.
        guard invitation.isMediated, !trusts(invitation.room.address) else { return (true, false) }
        return (true, true)
    }

    /// Returns the person behind an address in a message: for an occupant the address that the room shows, nil if it shows
    /// none, or if the message may be another occupant's.
    private func person(_ sender: JID, in message: Element) -> JID? {
        if let room = rooms[sender.bare], !room.isTentative {
            let occupant = sender.resource.flatMap { room.occupants[$0] }
            return verifiedSender(of: message, occupant, in: room.address)?.person
        }
        return sender.local != nil && services.hasRooms(sender.domain) ? nil : sender
    }

    // MARK: Services

    /// Joins a room that isn't configured, once its service is known to have rooms.
    mutating func verifyService(of room: RoomState, at now: Duration) -> [Action] {
        let domain = room.address.domain
        guard room.address.local != nil, domain != configuration.address.domain else {
            return skipJoin(room.address, "the address isn't a room", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .checking
            $0.occupants = [:]
        }
        // Queried again even if it didn't answer the last time.
        var actions: [Action] = []
        if services.startListQuery(), let server = try? JID(domain: configuration.address.domain) {
            actions.append(ask(Element("query", Namespace.discoItems), to: server, for: .serviceList, at: now))
        }
        actions += queryService(domain, at: now)
        return actions.isEmpty ? resumeJoin(room.address, at: now) : actions
    }

    /// Queries a service, unless it has described itself already.
    mutating func queryService(_ domain: String, at now: Duration) -> [Action] {
        services.startQuery(domain) ? sendInfoQuery(domain, at: now) : []
    }

    /// Repeats the queries of services that are due.
    mutating func retryServiceQueries(at now: Duration) -> [Action] {
        services.retry(at: now).flatMap { sendInfoQuery($0, at: now) }
    }

    private mutating func sendInfoQuery(_ domain: String, at now: Duration) -> [Action] {
        guard let target = try? JID(domain: domain) else { return [] }
        return [ask(Element("query", Namespace.discoInfo), to: target, for: .serviceInfo(domain), at: now)]
    }

    /// Applies what is now known of a service to the occupants of its rooms.
    mutating func updateTrust(_ domain: String) -> [Action] {
        rooms.all(at: domain).flatMap { room -> [Action] in
            let isTrusted = services.trustsAddresses(in: room)
            rooms.update(room) { $0.setTrust(isTrusted) }
            return rooms[room]?.isInside == true ? distrustEntries(of: room) : []
        }
    }

    /// Applies the list of services to the occupants of all rooms.
    mutating func updateTrust() {
        rooms.updateAll { [services] in $0.setTrust(services.trustsAddresses(in: $0.address)) }
    }

    /// Returns a log entry if the addresses in a configured room aren't trusted, and the reason is known.
    func distrustEntries(of room: JID) -> [Action] {
        guard configuration.isConfigured(room), let reason = services.reasonForDistrust(room.domain) else { return [] }
        return [.log(.addressesUntrusted(room: room, reason: reason))]
    }

    /// Continues the joins that waited for the description of a service.
    mutating func resumePendingJoins(at now: Duration) -> [Action] {
        rooms.checking.flatMap { resumeJoin($0, at: now) }
    }

    private mutating func resumeJoin(_ address: JID, at now: Duration) -> [Action] {
        guard let room = rooms[address], room.phase == .checking else { return [] }
        switch services.roomSupport(for: address) {
        case .unknown: return []
        case .unsupported(let reason): return skipJoin(address, reason, at: now)
        case .supported(let isTrusted):
            if room.needsTrust, !isTrusted {
                return skipJoin(
                    address, "invitations are restricted, and this one's sender can't be verified", at: now)
            }
            return sendJoin(room, at: now)
        }
    }
}

/// An invitation to a room: mediated by the room (XEP-0045 section 7.8.2) or direct (XEP-0249).
struct Invitation: Sendable {
    let room: SessionConfiguration.Room
    /// The sender; in a mediated invitation, as the room names it.
    let from: JID
    let isMediated: Bool

    /// Reads a message; nil if it isn't an invitation.
    init?(_ message: Element, from sender: JID) {
        if let x = message.first("x", Namespace.mucUser), let invite = x.first("invite", Namespace.mucUser) {
            guard sender.isBare, let from = invite["from"].flatMap({ try? JID($0) }) else { return nil }
            self.from = from
            isMediated = true
            room = SessionConfiguration.Room(sender, password: x.first("password", Namespace.mucUser)?.text)
        } else if let x = message.first("x", Namespace.conference), let address = x["jid"].flatMap({ try? JID($0) }) {
            from = sender
            isMediated = false
            room = SessionConfiguration.Room(address, password: x["password"])
        } else {
            return nil
        }
    }
}
