// Going into rooms, being in them, and leaving (XEP-0045 sections 7 and 10).

extension Session {
    // MARK: In time

    /// Does what is due about rooms.
    mutating func enterRooms(at now: Duration) -> [Action] {
        rooms.due(at: now).flatMap { address -> [Action] in
            guard let room = rooms[address] else { return [] }
            switch room.phase {
            case .outside: return enter(room, at: now)
            case .entering: return refuse(address, "it doesn't answer", at: now)
            case .inside: return look(after: room, at: now)
            }
        }
    }

    private mutating func enter(_ room: Room, at now: Duration) -> [Action] {
        guard let presence = room.entrance(extras) else {
            return refuse(room.address, "\"\(room.nick)\" can't be a nick there: choose another", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .entering(until: now + profile.waits.join)
            $0.occupants = [:]
            $0.heard = now
        }
        return [.send(presence)]
    }

    private mutating func look(after room: Room, at now: Duration) -> [Action] {
        if let regains = room.regains, regains <= now {
            rooms.update(room.address) { $0.regains = now + profile.waits.regain }
            guard let wanted = try? room.address.with(resource: profile.nick) else { return [] }
            var presence = presence
            presence["to"] = wanted.description
            return [.send(presence)]
        }
        // The room has been silent for long: are we still in it (XEP-0410)?
        rooms.update(room.address) {
            $0.heard = now
            $0.isAsked = true
        }
        return room.isAsked ? [] : askWhetherInside(room.address, at: now)
    }

    /// Pings ourselves by way of the room; after a change of our nick too, since Prosody 0.12 may take a room for empty
    /// then, and make a new one for the next to come.
    private mutating func askWhetherInside(_ room: JID, at now: Duration) -> [Action] {
        guard let own = rooms[room]?.ownAddress else { return [] }
        return [ask(Element("ping", Namespace.ping), to: own, for: .inRoom(own), at: now)]
    }

    /// What a room says to a ping of ourselves by way of it (XEP-0410 section 3).
    mutating func takeSelfPing(_ own: JID, _ error: StanzaError?, at now: Duration) -> [Action] {
        let room = own.bare
        rooms.update(room) { $0.isAsked = false }
        // Whoever is asked by a nick that was ours need not be there.
        guard let error, rooms[room]?.isInside == true, rooms[room]?.ownAddress == own else { return [] }
        switch error.condition {
        // Our own client can't do pings: but there we are.
        case "service-unavailable", "feature-not-implemented": return []
        // It can't be told now; the next time may tell.
        case "remote-server-timeout", "resource-constraint", "recipient-unavailable": return []
        default: return loseRoom(room, at: now)
        }
    }

    /// A room that we thought to be in has forgotten us.
    mutating func loseRoom(_ room: JID, at now: Duration) -> [Action] {
        guard rooms[room]?.isInside == true else { return [] }
        rooms.update(room) {
            $0.phase = .outside(until: now)
            $0.occupants = [:]
        }
        return [.note(.lostRoom(room))] + enterRooms(at: now)
    }

    private mutating func refuse(
        _ room: JID, _ reason: String, isFinal: Bool = false, at now: Duration
    ) -> [Action] {
        if isFinal { rooms.forget(room) }
        rooms.update(room) {
            $0.phase = .outside(until: now + profile.waits.joinRetry)
            $0.occupants = [:]
            $0.hasAnswered = true
        }
        return [.note(.refused(room: room, reason: reason, keepsTrying: !isFinal))] + settle(at: now) + flush(at: now)
    }

    // MARK: Presence

    /// Takes a presence that comes from one of our rooms.
    mutating func takeRoomPresence(_ presence: Element, from occupant: JID, at now: Duration) -> [Action] {
        let address = occupant.bare
        guard let room = rooms[address] else { return [] }
        rooms.update(address) { $0.heard = now }
        if presence["type"] == "error" { return takeError(StanzaError(presence), room, at: now) }
        guard let nick = occupant.resource else { return [] }
        let status = Status(presence)
        let isOwn = status?.isOwn == true || nick == room.nick && !room.isInside
        switch presence["type"] {
        case nil: return isOwn ? takeOwn(nick, status, room, at: now) : takeOther(nick, status, room)
        case "unavailable":
            return isOwn || nick == room.nick
                ? leave(status, room, nick, presence, at: now) : takeLeave(status, room, nick, presence)
        default: return []
        }
    }

    /// What others show us last is our own presence: then we are in (XEP-0045 section 7.2.2).
    private mutating func takeOwn(_ nick: String, _ status: Status?, _ room: Room, at now: Duration) -> [Action] {
        let address = room.address
        let wasInside = room.isInside
        if !wasInside, case .outside = room.phase { return [] }
        rooms.update(address) {
            $0.nick = nick
            $0.occupants[nick] = Occupant(nick, status?.item, isTrusted: profile.trusts(address))
            if !wasInside { $0.entered = now }
            $0.phase = .inside
            $0.isAsked = false
            $0.hasAnswered = true
            if !wasInside { $0.tellsOldSubject = true }
            $0.regains = nick == profile.nick ? nil : $0.regains ?? now + profile.waits.regain
        }
        isHeardAgain(at: address)
        var actions: [Action] = []
        if status?.isNewRoom == true {
            // As it is by default: else nobody else is let in (XEP-0045 section 10.1.2).
            let form = Element("x", Namespace.data, ["type": "submit"])
            actions.append(
                ask(
                    Element("query", Namespace.mucOwner, [:], form), "set", to: address, for: .openRoom(address),
                    at: now))
        }
        if !wasInside {
            if hasSettled { actions.append(.note(.joined(room: address, as: nick))) }
            if nick != profile.nick { actions.append(.note(.nickTaken(profile.nick, room: address, instead: nick))) }
        }
        return actions + settle(at: now) + flush(at: now)
    }

    private mutating func takeOther(_ nick: String, _ status: Status?, _ room: Room) -> [Action] {
        let isNew = room.occupants[nick] == nil
        // Whoever can make thousands of nicks doesn't fill our memory.
        guard !isNew || room.occupants.count < 10_000 else { return [] }
        rooms.update(room.address) {
            $0.occupants[nick] = Occupant(nick, status?.item, isTrusted: profile.trusts(room.address))
        }
        guard room.isInside, isNew else { return [] }
        return hear(.joined, nick, in: room.address)
    }

    private mutating func takeLeave(
        _ status: Status?, _ room: Room, _ nick: String, _ presence: Element
    ) -> [Action] {
        guard let occupant = room.occupants[nick] else { return [] }
        let heard = hear(
            .left(presence.first("status", Namespace.client)?.text ?? status?.reason), nick, in: room.address)
        rooms.update(room.address) {
            $0.occupants[nick] = nil
            if status?.isNickChange == true, let newNick = status?.newNick {
                $0.occupants[newNick] = occupant
                $0.occupants[newNick]?.nick = newNick
            }
            // Whoever had our nick hasn't any more.
            if nick == profile.nick, $0.regains != nil { $0.regains = $0.heard }
        }
        guard room.isInside, status?.isNickChange != true else { return [] }
        return heard
    }

    /// We are out.
    private mutating func leave(
        _ status: Status?, _ room: Room, _ nick: String, _ presence: Element, at now: Duration
    ) -> [Action] {
        let address = room.address
        if status?.isNickChange == true, let newNick = status?.newNick {
            rooms.update(address) {
                $0.occupants[nick] = nil
                $0.nick = newNick
                if newNick == profile.nick { $0.regains = nil }
            }
            let note = newNick == profile.nick ? [Action.note(.nickRegained(newNick, room: address))] : []
            return note + askWhetherInside(address, at: now)
        }
        // What was said of an earlier life of ours.
        if case .outside = room.phase { return [] }
        let isKick = status?.has(307) == true
        let isRefusal = status?.has(301) == true || status?.has(321) == true || status?.has(322) == true
        // Where we were only invited, we go when we are told to.
        let isUnwelcome = isKick && !profile.rejoinsAfterKick || (isKick || isRefusal) && !profile.chose(address)
        let isForGood = isUnwelcome || status?.destroyed != nil
        // What was long ago is forgotten.
        let kicks = (now - room.entered < .seconds(600) ? room.kicks : 0) + (isKick ? 1 : 0)
        if isForGood {
            rooms.forget(address)
        } else {
            let wait = isRefusal ? profile.waits.joinRetry : profile.waits.rejoin * (1 << min(max(kicks - 1, 0), 8))
            rooms.update(address) {
                $0.phase = .outside(until: now + wait)
                $0.occupants = [:]
                $0.kicks = kicks
            }
        }
        let by = status?.actor.map { " by \(Words.line($0))" } ?? ""
        let reason = (status?.reason ?? status?.destroyed?.first("reason", Namespace.mucUser)?.text).map(Words.line)
        let words = reason.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
        let how = "\(status?.removal ?? "put out of")"
        return [.note(.removed(room: address, how: how, by: by + words, comesBack: !isForGood))]
    }

    /// The room doesn't let us in, or doesn't let us change our nick (XEP-0045 section 7.2).
    private mutating func takeError(_ error: StanzaError, _ room: Room, at now: Duration) -> [Action] {
        // Our nick is still somebody else's, perhaps our own ghost's.
        if room.isInside { return [] }
        guard case .entering = room.phase else { return [] }
        if error.condition == "conflict", room.nick.utf8.count < profile.nick.utf8.count + 3 {
            rooms.update(room.address) { $0.nick += "_" }
            return rooms[room.address].map { enter($0, at: now) } ?? []
        }
        rooms.update(room.address) { $0.nick = profile.nick }
        let isFinal = ["forbidden", "registration-required", "not-allowed"].contains(error.condition)
        return refuse(room.address, reason(error, room), isFinal: isFinal && !profile.chose(room.address), at: now)
    }

    private func reason(_ error: StanzaError, _ room: Room) -> String {
        let words: String? =
            switch error.condition {
            case "not-authorized":
                room.wanted.password == nil ? "it asks for a password" : "the password isn't right"
            case "forbidden": "I am banned"
            case "registration-required": "only members are let in"
            case "item-not-found": "there is no such room, or nobody is let in yet"
            case "not-allowed": "new rooms can't be made there"
            case "service-unavailable": "it is full"
            case "conflict": "the nick \(profile.nick) is taken"
            case "not-acceptable": "it wants another nick"
            case "remote-server-not-found", "remote-server-timeout": "its server can't be reached"
            default: nil
            }
        return words.map { error.text.isEmpty ? $0 : "\($0) (\(error.text))" } ?? error.description
    }

    // MARK: Words

    /// Takes a message that everybody in one of our rooms gets.
    mutating func takeGroupchat(_ message: Element, from sender: JID, at now: Duration) -> [Action] {
        let address = sender.bare
        guard let room = rooms[address] else { return [] }
        rooms.update(address) { $0.heard = now }
        guard room.isInside else { return [] }
        // What follows the subject is of now.
        if !Self.isOld(message) || message.has("subject", Namespace.client) {
            rooms.update(address) { $0.tellsOldSubject = false }
        }
        guard !Self.isOld(message), let nick = sender.resource, nick != room.nick else { return [] }
        if let body = Self.body(message) { return hear(.text(body), nick, in: address, message) }
        guard let subject = message.first("subject", Namespace.client), !room.tellsOldSubject else { return [] }
        return hear(.topic(subject.text), nick, in: address, message)
    }

    /// Takes a message that somebody in one of our rooms says to us alone (XEP-0045 section 7.5).
    mutating func takePrivate(_ message: Element, from sender: JID) -> [Action] {
        guard let room = rooms[sender.bare], room.isInside, let nick = sender.resource, nick != room.nick,
            !Self.isOld(message), let body = Self.body(message),
            profile.contacts.include(room.occupants[nick]?.person)
        else { return [] }
        return hear(.text(body), nick, in: sender.bare, message, isPublic: false)
    }

    private func hear(
        _ content: Heard.Content, _ nick: String, in address: JID, _ message: Element? = nil, isPublic: Bool = true
    ) -> [Action] {
        guard let from = try? address.with(resource: nick) else { return [] }
        let stanzaID = message?.all("stanza-id", Namespace.stanzaID)
            .first { $0["by"].flatMap { try? JID($0) } == address }?["id"]
        return [
            .hear(
                Heard(
                    content: content, from: from, person: rooms[address]?.occupants[nick]?.person, isPublic: isPublic,
                    id: stanzaID ?? message?["id"], room: address))
        ]
    }
}
