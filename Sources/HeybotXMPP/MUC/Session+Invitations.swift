// Follows invitations (XEP-0045 section 7.8.2, XEP-0249).

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
    func reasonNotToJoin(to room: JID, invitedBy sender: JID?) -> String? {
        guard !configuration.isConfigured(room) else { return nil }
        // An account's address isn't a room's, and the account's domain has accounts.
        guard room.local != nil, room.domain != configuration.address.domain else {
            return "it isn't the address of a room"
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

    /// Whether the sender of an invitation may send one, and whether that depends on trusting the room's service.
    private func mayInvite(_ invitation: Invitation, in message: Element) -> (Bool, needsTrust: Bool) {
        if case .all = configuration.contacts { return (true, false) }
        guard invitation.isIdentifying, configuration.contacts.include(person(invitation.from, in: message)) else {
            return (false, false)
        }
        // Any room can put any sender into an invitation.
        guard invitation.isMediated, !trusts(invitation.room.address) else { return (true, false) }
        return (true, true)
    }

    /// Returns the person behind an address in a message: for an occupant the address that the room shows, nil if it shows
    /// none, or if the message may be another occupant's.
    private func person(_ sender: JID, in message: Element) -> JID? {
        if let room = rooms[sender.bare], !room.isTentative {
            let occupant = sender.resource.flatMap { room.occupants($0, from: message["from"]).verified }
            return verifiedSender(of: message, occupant, in: room.address)?.person
        }
        return sender.local != nil && services.hidesPeople(at: sender.domain) ? nil : sender
    }
}
