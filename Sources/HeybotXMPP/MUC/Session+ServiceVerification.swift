// Checks whether an address is a room's, and whether its service is trusted, by service discovery (XEP-0030).

extension Session {
    /// Joins a room that isn't configured, once its service is known to have rooms.
    mutating func verifyService(of room: RoomState, at now: Duration) -> [Action] {
        let domain = room.address.domain
        guard room.address.local != nil, domain != configuration.address.domain else {
            return skipJoin(room.address, "it isn't the address of a room", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .checking
            $0.occupants = [:]
        }
        // Queried again even if it didn't answer the last time.
        let actions = queryServiceList(at: now) + queryService(domain, at: now)
        return actions.isEmpty ? resumeJoin(room.address, at: now) : actions
    }

    /// Queries the list of services of the account's server, unless it is known.
    mutating func queryServiceList(at now: Duration) -> [Action] {
        guard services.startListQuery(), let server = try? JID(domain: configuration.address.domain) else { return [] }
        return [ask(Element("query", Namespace.discoItems), to: server, for: .serviceList, at: now)]
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

    /// Whether a room's own statements are trusted.
    ///
    /// Anyone can run a room that claims to have anyone in it, and invite the robot there; and a gateway shows what its
    /// network says, where anyone may be able to use any name.
    func trusts(_ room: JID) -> Bool { services.trusts(room) }

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
        switch services.mucAvailability(for: address) {
        case .unknown: return []
        case .unavailable(let reason): return skipJoin(address, reason, at: now)
        case .available(let isTrusted):
            if room.needsTrust, !isTrusted {
                return skipJoin(
                    address, "only some users may invite me, and I can't verify who invited me", at: now)
            }
            return sendJoin(room, at: now)
        }
    }
}
