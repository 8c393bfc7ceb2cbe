import HeybotSupport

// Going into rooms, being in them, and leaving (XEP-0045 sections 7 and 10).

extension Session {
    /// After so long in a room, a kick wasn't for coming back, and the room may be left and joined again.
    static let stay: Duration = .seconds(300)
    static let mostOccupants = 10_000

    // MARK: In time

    /// Does what is due about rooms.
    mutating func enterRooms(at now: Duration) -> [Action] {
        rooms.due(at: now).flatMap { address -> [Action] in
            guard let room = rooms[address] else { return [] }
            switch room.phase {
            case .outside:
                return profile.chose(address)
                    ? askService(address.domain, at: now) + enter(room, at: now) : check(room, at: now)
            case .checking: return []
            case .entering: return refuse(address, "it doesn't answer", at: now)
            case .inside: return look(after: room, at: now)
            }
        }
    }

    mutating func enter(_ room: Room, at now: Duration) -> [Action] {
        guard let presence = room.entrance(extras) else {
            return refuse(room.address, "\"\(room.nick)\" can't be a nick there: choose another", at: now)
        }
        rooms.update(room.address) {
            $0.phase = .entering(until: now + profile.waits.join)
            $0.forgetOccupants()
            $0.heard = now
            $0.tried = now
        }
        return [.send(presence)]
    }

    private mutating func look(after room: Room, at now: Duration) -> [Action] {
        if room.isUnused(profile.waits, at: now) { return leave(room.address, "nobody has said a word in it", at: now) }
        if let due = room.resync.due, due <= now { return goOn(with: room.resync, of: room, at: now) }
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
        case .serviceUnavailable, .featureNotImplemented: return []
        // It can't be told now; the next time may tell.
        case .remoteServerTimeout, .resourceConstraint, .recipientUnavailable: return []
        // With `item-not-found`, too: by the letter our nick has just changed, but rooms that are gone say the same.
        default: return loseRoom(room, at: now)
        }
    }

    /// A room that we thought to be in has forgotten us.
    mutating func loseRoom(_ room: JID, at now: Duration) -> [Action] {
        guard rooms[room]?.isInside == true else { return [] }
        rooms.update(room) {
            $0.phase = .outside(until: now)
            $0.forgetOccupants()
        }
        return [.note(.lostRoom(room))] + enterRooms(at: now)
    }

    private mutating func refuse(_ room: JID, _ reason: String, at now: Duration) -> [Action] {
        if rooms[room]?.isOnTrial == true {
            rooms.forget(room)
            return [.note(.turnedAway(room: room, reason: reason))] + settle(at: now) + flush(at: now)
        }
        rooms.update(room) {
            $0.phase = .outside(until: now + profile.waits.joinRetry)
            $0.forgetOccupants()
            $0.hasAnswered = true
            $0.offeredPassword = nil
        }
        return [.note(.refused(room: room, reason: reason))] + settle(at: now) + flush(at: now)
    }

    /// We don't ask to be let in.
    mutating func stayOut(_ room: JID, _ reason: String, at now: Duration) -> [Action] {
        if rooms[room]?.isOnTrial == true {
            rooms.forget(room)
        } else {
            rooms.update(room) {
                $0.phase = .outside(until: now + profile.waits.joinRetry)
                $0.hasAnswered = true
            }
        }
        return [.note(.noRoom(room, reason: reason))] + settle(at: now) + flush(at: now)
    }

    // MARK: Presence

    /// Takes a presence that comes from one of our rooms.
    mutating func takeRoomPresence(_ presence: Element, from occupant: JID, at now: Duration) -> [Action] {
        let address = occupant.bare
        // Not the room itself: while there is a copy of it, changing its occupants would mean copying them all.
        guard let (ours, isInside, phase) = rooms[address].map({ ($0.nick, $0.isInside, $0.phase) }) else { return [] }
        // Who is in a room that we aren't in, and didn't ask to be let into, is no concern of ours: it may be no room.
        switch phase {
        case .outside, .checking: return []
        case .entering, .inside: break
        }
        rooms.update(address) { $0.heard = now }
        if presence["type"] == "error" { return takeError(StanzaError(presence), address, at: now) }
        guard let nick = occupant.resource else { return [] }
        let status = Status(presence)
        // Some rooms don't tell which one is us.
        switch presence["type"] {
        case nil:
            // While we are in, we have the nick that we have: another is told first (XEP-0045 section 7.6).
            let isOwn =
                isInside
                ? status?.isOwn == true && (nick == ours || status?.isNickAssigned == true)
                : status?.isOwn == true || nick == ours
            return isOwn ? takeOwn(nick, status, address, at: now) : takeOther(nick, status, address, presence, at: now)
        case "unavailable":
            // Until we are in, who leaves by our nick is a ghost of ours.
            let isOwn = isInside ? nick == ours : status?.isOwn == true
            return isOwn ? leave(status, address, nick, at: now) : takeLeave(status, address, nick, presence, at: now)
        default: return []
        }
    }

    /// What others show us last is our own presence: then we are in (XEP-0045 section 7.2.2).
    private mutating func takeOwn(_ nick: String, _ status: Status?, _ address: JID, at now: Duration) -> [Action] {
        guard let room = rooms[address] else { return [] }
        let wasInside = room.isInside
        let isAssigned = status?.isNickAssigned == true
        let occupant = Occupant(nick, status?.item, nextEntry(), isBelieved: trusts(address))
        rooms.update(address) {
            $0.nick = nick
            $0.occupants[nick] = occupant
            $0.phase = .inside
            $0.takeResyncOwn(at: now)
            $0.refusal = nil
            $0.wanted.password = $0.offeredPassword ?? $0.wanted.password
            $0.offeredPassword = nil
            $0.isAsked = false
            $0.hasAnswered = true
            $0.isOnTrial = false
            if nick == profile.nick || isAssigned { $0.regains = nil }
            guard !wasInside else { return }
            $0.tellsOldSubject = true
            $0.entered = now
            if nick != profile.nick, !isAssigned { $0.regains = now + profile.waits.regain }
        }
        isHeardAgain(at: address)
        var actions: [Action] = []
        if !wasInside, status?.isNewRoom == true {
            // As it is by default: else nobody else is let in (XEP-0045 section 10.1.2).
            let form = Element("x", Namespace.data, ["type": "submit"])
            actions.append(
                ask(
                    Element("query", Namespace.mucOwner, [:], form), "set", to: address, for: .openRoom(address),
                    at: now))
        }
        if !wasInside {
            if phase == .settled { actions.append(.note(.joined(room: address, as: nick))) }
            actions += noteDistrust(of: address)
            if nick != profile.nick {
                actions.append(
                    .note(
                        isAssigned
                            ? .nickAssigned(profile.nick, room: address, instead: nick)
                            : .nickTaken(profile.nick, room: address, instead: nick)))
            }
        }
        return actions + settle(at: now) + flush(at: now)
    }

    /// Whether what a room says of somebody's own address is believed.
    ///
    /// Anybody can have a room that says anybody is in it, and invite us there; and a gateway writes what its own network
    /// says, if anybody may have anybody's name.
    func trusts(_ room: JID) -> Bool { services.trusts(room) }

    private mutating func takeOther(
        _ nick: String, _ status: Status?, _ room: JID, _ presence: Element, at now: Duration
    ) -> [Action] {
        var occupant = Occupant(nick, status?.item, nextEntry(), isBelieved: trusts(room))
        occupant.occupantID = Self.occupantID(presence)
        let isIdentifying = services.identifiesOccupants(at: room.domain)
        var comes = false
        var mayHide = false
        rooms.update(room) {
            $0.takeResyncOther()
            let (old, doubted) = ($0.occupants[nick], $0.doubted.removeValue(forKey: nick))
            // Whoever can make thousands of nicks doesn't fill our memory.
            guard old != nil || $0.occupants.count < Self.mostOccupants else { return }
            comes = old == nil && doubted == nil && $0.isInside
            if let before = old ?? doubted {
                let isSame =
                    old == nil
                    ? occupant.isSurely(before, isIdentifying: isIdentifying)
                    // Whose leaving we haven't seen isn't who comes in by the nick from another address.
                    : before.address == nil || occupant.address == nil || before.address == occupant.address
                if isSame { occupant.entry = before.entry }
                occupant.entered = isSame ? before.entered : now
            } else if comes {
                occupant.entered = now
            }
            mayHide = $0.isInside && old.map { Set([$0.role, occupant.role, .none]).count == 3 } ?? false
            $0.occupants[nick] = occupant
        }
        if mayHide { return doubt(nick, in: room, at: now) }
        return comes ? hear(.joined, by: nick, in: room, at: now) : []
    }

    private mutating func takeLeave(
        _ status: Status?, _ room: JID, _ nick: String, _ presence: Element, at now: Duration
    ) -> [Action] {
        let words = presence.first("status", Namespace.client)?.text ?? status?.reason
        let heard = hear(.left(words), by: nick, in: room, at: now)
        let isBelieved = trusts(room)
        var goes = false
        rooms.update(room) {
            let known = $0.occupants.removeValue(forKey: nick)
            let doubted = $0.doubted.removeValue(forKey: nick)
            guard var occupant = known ?? doubted else { return }
            // Whoever had our nick hasn't any more.
            if nick == profile.nick, $0.regains != nil { $0.regains = $0.heard }
            goes = $0.isInside
            guard let newNick = status?.newNick else { return }
            goes = false
            // Nobody gets what is known of somebody else: whose nick that is, the room tells next.
            guard $0.occupants[newNick] == nil, newNick != $0.nick else { return }
            occupant.nick = newNick
            let told = Occupant(nick, status?.item, occupant.entry, isBelieved: isBelieved).person
            if told == nil || told != occupant.person { occupant.address = nil }
            if known == nil { $0.doubted[newNick] = occupant } else { $0.occupants[newNick] = occupant }
        }
        return goes ? heard : []
    }

    /// We are out.
    private mutating func leave(_ status: Status?, _ address: JID, _ nick: String, at now: Duration) -> [Action] {
        guard let room = rooms[address] else { return [] }
        if let newNick = status?.newNick {
            rooms.update(address) {
                $0.occupants[nick] = nil
                $0.nick = newNick
                $0.regains = newNick == profile.nick ? nil : $0.regains ?? now + profile.waits.regain
            }
            let note = newNick == profile.nick ? [Action.note(.nickRegained(newNick, room: address))] : []
            // However often a room calls us something else.
            guard answers.admits(address, at: now) else { return note }
            return note + askWhetherInside(address, at: now)
        }
        // What was said of an earlier life of ours.
        let (isKick, isBan) = (status?.isKick == true, status?.isBan == true)
        let isDestroyed = status?.destroyed != nil
        let isForGood =
            (isKick || isBan || isDestroyed) && !profile.rejoinsAfterKick
            // If we were only invited, we go when we are told to.
            || (isKick || isBan || isDestroyed || status?.isForMembers == true) && !profile.chose(address)
        let kicks = (now - room.entered < Self.stay ? room.kicks : 0) + (isKick ? 1 : 0)
        if isForGood {
            rooms.forget(address)
        } else {
            let isRefusal = isBan || isDestroyed || status?.isForMembers == true
            let wait = isRefusal ? profile.waits.joinRetry : profile.waits.rejoin * (1 << min(max(kicks - 1, 0), 8))
            rooms.update(address) {
                $0.phase = .outside(until: now + wait)
                $0.forgetOccupants()
                $0.kicks = kicks
            }
        }
        let by = status?.actor.map { " by \(SafeText.visible($0, limit: 300))" } ?? ""
        let reason = (status?.reason ?? status?.destroyed?.first("reason", Namespace.mucUser)?.text).map {
            SafeText.visible($0, limit: 300)
        }
        let words = reason.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
        let how = status?.removal ?? "put out of"
        return [.note(.removed(room: address, how: how, by: by + words, comesBack: !isForGood))] + settle(at: now)
            + flush(at: now)
    }

    /// The room doesn't let us in, or doesn't let us change our nick (XEP-0045 section 7.2).
    private mutating func takeError(_ error: StanzaError, _ address: JID, at now: Duration) -> [Action] {
        // If we are in, our nick is still somebody else's, perhaps our own ghost's.
        guard let room = rooms[address], case .entering = room.phase else { return [] }
        if error.condition == .conflict, room.nick.utf8.count < profile.nick.utf8.count + 3 {
            rooms.update(room.address) { $0.nick += "_" }
            return rooms[room.address].map { enter($0, at: now) } ?? []
        }
        rooms.update(room.address) {
            $0.nick = profile.nick
            $0.refusal = error
        }
        return refuse(room.address, reason(error, room), at: now)
    }

    private func reason(_ error: StanzaError, _ room: Room) -> String {
        let words: String? =
            switch error.condition {
            case .notAuthorized:
                room.wanted.password == nil ? "it asks for a password" : "the password isn't right"
            case .forbidden: "I am banned"
            case .registrationRequired: "only members are let in"
            case .itemNotFound: "there is no such room, or nobody is let in yet"
            case .notAllowed: "new rooms can't be made there"
            case .serviceUnavailable: "it is full"
            case .conflict: "the nick \(profile.nick) is taken"
            case .notAcceptable: "it wants another nick"
            case .remoteServerNotFound, .remoteServerTimeout: "its server can't be reached"
            default: nil
            }
        return words.map { error.text.isEmpty ? $0 : "\($0) (\(error.text))" } ?? error.description
    }
}
