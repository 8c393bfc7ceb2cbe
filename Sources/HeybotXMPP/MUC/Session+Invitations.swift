// Following invitations (XEP-0045 section 7.8.2, XEP-0249), and finding out whether what they name is a room.

extension Session {
    mutating func follow(_ invitation: Invitation, at now: Duration) -> [Action] {
        var room = invitation.room
        let by = invitation.from.description
        if rooms[room.address]?.isInside == true { return [] }
        // Whoever is only named by a stranger's room isn't who sent it.
        let sender = invitation.isMediated && !trusts(room.address) ? room.address : invitation.from
        guard answers.admits(asker(sender), at: now) else { return [] }
        let (isInvited, needsTrust) = mayInvite(invitation)
        if rooms[room.address] != nil { return isInvited && !needsTrust ? retry(room, by: by, at: now) : [] }
        guard profile.acceptsInvitations, isInvited else {
            return [.note(.invited(room: room.address, by: by, goes: false))]
        }
        if let reason = reasonNotToGo(to: room.address, invitedBy: sender) {
            return [.note(.declined(room: room.address, by: by, reason: reason))]
        }
        room.inviter = sender.bare.description
        rooms.want(room, isOnTrial: true, at: now)
        rooms.update(room.address) { $0.needsTrust = needsTrust }
        return [.note(.invited(room: room.address, by: by, goes: true))] + enterRooms(at: now)
    }

    /// The most rooms on the word of people of one domain, and of our own.
    private static let mostOfDomain = (others: 50, own: 250)
    /// The most rooms on one person's word.
    private static let mostOfPerson = 20

    /// - Parameter sender: The person, or the room, that invites us; nil if an admin has us join it.
    private func reasonNotToGo(to room: JID, invitedBy sender: JID?) -> String? {
        guard !profile.chose(room) else { return nil }
        // An account's address isn't a room's, and our own domain has accounts.
        guard room.local != nil, room.domain != profile.address.domain else {
            return "that isn't the address of a room"
        }
        if rooms.isFull { return "I am in \(Rooms.most) rooms already" }
        guard let sender else { return nil }
        if rooms.count(where: { $0 == sender.bare }) >= Self.mostOfPerson {
            return "I am in \(Self.mostOfPerson) rooms already that \(sender.bare) has invited me to"
        }
        let most = sender.domain == profile.address.domain ? Self.mostOfDomain.own : Self.mostOfDomain.others
        return rooms.count { $0.domain == sender.domain } >= most
            ? "I am in \(most) rooms already that \(sender.domain) has invited me to" : nil
    }

    /// Between two attempts to get into a room that somebody invites us to on and on.
    private static let retryInterval: Duration = .seconds(10)

    /// A room that we want to be in and aren't invites us: then it is tried at once, with the password that was sent along.
    private mutating func retry(_ room: Profile.Room, by: String, at now: Duration) -> [Action] {
        guard let known = rooms[room.address], case .outside = known.phase,
            known.tried.map({ now - $0 >= Self.retryInterval }) ?? true
        else { return [] }
        rooms.update(room.address) {
            $0.phase = .outside(until: now)
            $0.offeredPassword = room.password
        }
        return [.note(.invited(room: room.address, by: by, goes: true))] + enterRooms(at: now)
    }

    // MARK: On request

    /// Joins a room and stays in it; it is noted how that ends.
    ///
    /// - Returns: Nil if we aren't connected, or in it already; else it ends in `joined`, `turnedAway`, `noRoom` or `declined`.
    package mutating func join(_ room: Profile.Room, at now: Duration) -> [Action]? {
        guard isReady, rooms[room.address]?.isInside != true else { return nil }
        if rooms[room.address] == nil {
            if let reason = reasonNotToGo(to: room.address, invitedBy: nil) {
                return [.note(.noRoom(room.address, reason: reason))]
            }
            rooms.want(room, isOnTrial: true, at: now)
            guard rooms[room.address] != nil else {
                return [.note(.noRoom(room.address, reason: "I am in \(Rooms.most) rooms already"))]
            }
        } else {
            rooms.update(room.address) {
                $0.wanted.inviter = nil
                $0.offeredPassword = room.password
                if case .outside = $0.phase { $0.phase = .outside(until: now) }
            }
        }
        return enterRooms(at: now)
    }

    /// Leaves a room, and doesn't go back to it; nil if we don't want to be in it.
    package mutating func leave(_ room: JID, at now: Duration) -> [Action]? {
        rooms[room] == nil ? nil : leave(room, "I was told to", at: now)
    }

    mutating func leave(_ address: JID, _ reason: String, at now: Duration) -> [Action] {
        guard let room = rooms[address] else { return [] }
        rooms.forget(address)
        var actions = [Action.note(.left(room: address, reason: reason))]
        switch room.phase {
        case .entering, .inside:
            if let own = room.ownAddress {
                actions.append(
                    .send(Element("presence", Namespace.client, ["type": "unavailable", "to": own.description])))
            }
        case .outside, .checking: break
        }
        return actions + settle(at: now) + flush(at: now)
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
        var actions: [Action] = []
        if services.asksForList(), let server = try? JID(domain: profile.address.domain) {
            actions.append(ask(Element("query", Namespace.discoItems), to: server, for: .services, at: now))
        }
        actions += askService(domain, at: now)
        return actions.isEmpty ? decide(room.address, at: now) : actions
    }

    /// Asks a service what it is, unless it has said so.
    mutating func askService(_ domain: String, at now: Duration) -> [Action] {
        services.asks(domain) ? askWhatItIs(domain, at: now) : []
    }

    /// Asks services again that gave no answer, if it is time for that.
    mutating func retryServices(at now: Duration) -> [Action] {
        services.retry(at: now).flatMap { askWhatItIs($0, at: now) }
    }

    private mutating func askWhatItIs(_ domain: String, at now: Duration) -> [Action] {
        guard let target = try? JID(domain: domain) else { return [] }
        return [ask(Element("query", Namespace.discoInfo), to: target, for: .service(domain), at: now)]
    }

    /// Believes, or doesn't, what the rooms of a service show of their occupants, now that we know what it is.
    mutating func judge(_ domain: String) -> [Action] {
        rooms.all(at: domain).flatMap { room -> [Action] in
            let isBelieved = trusts(room)
            rooms.update(room) { $0.believe(isBelieved) }
            return rooms[room]?.isInside == true ? noteDistrust(of: room) : []
        }
    }

    /// That nobody in a room of our choice is known by their own address, if we know why.
    func noteDistrust(of room: JID) -> [Action] {
        guard profile.chose(room), let reason = services.reasonForDistrust(room.domain) else { return [] }
        return [.note(.unbelieved(room: room, reason: reason))]
    }

    /// Goes on with the rooms that waited for what we know now.
    mutating func goOn(at now: Duration) -> [Action] {
        rooms.checking.flatMap { decide($0, at: now) }
    }

    private mutating func decide(_ address: JID, at now: Duration) -> [Action] {
        guard let room = rooms[address], room.phase == .checking else { return [] }
        switch services.answer(for: address) {
        case .open: return []
        case .none(let reason): return stayOut(address, reason, at: now)
        case .rooms(let isTrusted):
            if room.needsTrust, !isTrusted {
                return stayOut(
                    address, "not everybody may invite me, and who did can't be told there", at: now)
            }
            return enter(room, at: now)
        }
    }
}

/// An invitation into a room: by way of the room (XEP-0045 section 7.8.2) or directly (XEP-0249).
struct Invitation: Sendable {
    let room: Profile.Room
    /// Who it is from; if it came by way of the room, that is what the room says.
    let from: JID
    let isMediated: Bool

    /// Nil if the message is none.
    init?(_ message: Element, from sender: JID) {
        if let x = message.first("x", Namespace.mucUser), let invite = x.first("invite", Namespace.mucUser) {
            guard sender.isBare, let from = invite["from"].flatMap({ try? JID($0) }) else { return nil }
            self.from = from
            isMediated = true
            room = Profile.Room(sender, password: x.first("password", Namespace.mucUser)?.text)
        } else if let x = message.first("x", Namespace.conference), let address = x["jid"].flatMap({ try? JID($0) }) {
            from = sender
            isMediated = false
            room = Profile.Room(address, password: x["password"])
        } else {
            return nil
        }
    }
}
