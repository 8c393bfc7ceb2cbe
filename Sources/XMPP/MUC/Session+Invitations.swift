import Pacing

// Following invitations (XEP-0045 section 7.8.2, XEP-0249), and finding out whether what they name is a room.

extension Session {
    mutating func follow(_ invitation: Invitation, at now: Duration) -> [Action] {
        let room = invitation.room
        let by = invitation.from.description
        if rooms[room.address] != nil { return [] }
        guard answers.isReady(at: now) else { return [] }
        answers.count(at: now)
        let (isInvited, needsTrust) = mayInvite(invitation)
        guard profile.acceptsInvitations, isInvited else {
            return [.note(.invited(room: room.address, by: by, goes: false))]
        }
        if !profile.chose(room.address) {
            // An account's address isn't a room's, and our own domain has accounts.
            guard room.address.local != nil, room.address.domain != profile.address.domain else {
                return [.note(.declined(room: room.address, by: by, reason: "that isn't the address of a room"))]
            }
        }
        if rooms.isFull {
            return [.note(.declined(room: room.address, by: by, reason: "I am in \(Rooms.most) rooms already"))]
        }
        rooms.want(room, isOnTrial: true, at: now)
        rooms.update(room.address) { $0.needsTrust = needsTrust }
        return [.note(.invited(room: room.address, by: by, goes: true))] + enterRooms(at: now)
    }

    /// Whether who sent an invitation may, and whether that holds only if the room's service is believed in who that is.
    private func mayInvite(_ invitation: Invitation) -> (Bool, needsTrust: Bool) {
        if case .all = profile.contacts { return (true, false) }
        guard profile.contacts.include(person(invitation.from)) else { return (false, false) }
        // Anybody's room can write anybody's name below an invitation.
        guard invitation.isMediated, !trusts(invitation.room.address) else { return (true, false) }
        return (true, true)
    }

    /// Whose address that is: in a room, whoever has the nick; nil if the room doesn't show it.
    private func person(_ sender: JID) -> JID? {
        if let room = rooms[sender.bare], !room.isOnTrial {
            return sender.resource.flatMap { room.occupants[$0]?.person }
        }
        return sender.local != nil && services.hasRooms(sender.domain) ? nil : sender
    }

    // MARK: What is a room

    /// Goes into a room that isn't on our list, once we know that it is one.
    mutating func check(_ room: Room, at now: Duration) -> [Action] {
        let domain = room.address.domain
        guard room.address.local != nil, domain != profile.address.domain else {
            return stayOut(room.address, "that isn't the address of a room", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .checking
            $0.occupants = [:]
        }
        // Asked again even if it was silent the last time.
        let (list, service) = services.questions(for: domain)
        var actions: [Action] = []
        if list, let server = try? JID(domain: profile.address.domain) {
            actions.append(ask(Element("query", Namespace.discoItems), to: server, for: .services, at: now))
        }
        if service, let target = try? JID(domain: domain) {
            actions.append(ask(Element("query", Namespace.discoInfo), to: target, for: .service(domain), at: now))
        }
        return actions.isEmpty ? decide(room.address, at: now) : actions
    }

    /// Goes on with the rooms that waited for what we know now.
    mutating func goOn(at now: Duration) -> [Action] {
        rooms.checking.flatMap { decide($0, at: now) }
    }

    private mutating func decide(_ address: JID, at now: Duration) -> [Action] {
        guard let room = rooms[address], room.phase == .checking else { return [] }
        switch services.answer(for: address.domain, account: profile.address.domain) {
        case .open: return []
        case .none(let reason): return stayOut(address, reason, at: now)
        case .rooms(let isTrusted):
            if room.needsTrust, !isTrusted {
                return stayOut(address, "only HEYBOT_XMPP_CONTACTS may invite me, and who did can't be told there", at: now)
            }
            return enter(room, at: now)
        }
    }
}
