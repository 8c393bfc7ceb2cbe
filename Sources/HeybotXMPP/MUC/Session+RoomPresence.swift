// Handles the presences that rooms send (XEP-0045 sections 7 and 10).

import HeybotSupport

extension Session {
    /// The maximum number of occupants that are stored: fewer if the service isn't trusted, because anyone can have many such
    /// rooms.
    func maxOccupants(in room: JID) -> Int { trusts(room) || configuration.isConfigured(room) ? 10_000 : 200 }

    /// Handles a presence from one of the session's rooms.
    mutating func handleRoomPresence(_ presence: Element, from occupant: JID, at now: Duration) -> [Action] {
        let address = occupant.bare
        // Doesn't hold a copy of the state: changing the occupants while there is one would copy them all.
        guard let (ownNick, isInside, phase) = rooms[address].map({ ($0.nick, $0.isInside, $0.phase) }) else {
            return []
        }
        // Presence from a room that the session neither is in nor joins is ignored: the address may not be a room's.
        switch phase {
        case .outside, .checking:
            rooms.update(address) {
                $0.handleOwnPresence(
                    presence,
                    isOwnNick: occupant.resource == ownNick && JID.isNormalResource(in: presence["from"], ownNick))
            }
            return []
        case .entering, .inside: break
        }
        rooms.update(address) { $0.lastActivity = now }
        if presence["type"] == "error" { return handleJoinError(StanzaError(presence), address, at: now) }
        guard let nick = occupant.resource else { return [] }
        let status = MUCStatus(presence)
        let isNormal = JID.isNormalResource(in: presence["from"], nick)
        // Some rooms don't mark the session's own presence.
        let hasOwnNick = nick == ownNick && isNormal
        switch presence["type"] {
        case nil:
            // Inside a room the nick is known: a change is announced first (XEP-0045 section 7.6).
            let isOwn =
                isInside
                ? status?.isSelfPresence == true && (hasOwnNick || status?.isNickAssigned == true)
                : status?.isSelfPresence == true || hasOwnNick
            if isOwn { return handleSelfPresence(nick, status, address, id: presence["id"], at: now) }
            guard isNormal else { break }
            return handleOccupantPresence(nick, status, address, presence, at: now)
        case "unavailable":
            // Before the join, an occupant who leaves with the configured nick is an earlier connection of the robot.
            let isOwn = isInside ? hasOwnNick : status?.isSelfPresence == true
            if isOwn { return handleSelfLeave(status, address, nick, at: now) }
            guard isNormal else { break }
            return handleOccupantLeave(status, address, nick, presence, at: now)
        default: return []
        }
        handleUnnormalizedNick(Array(JID.resource(in: presence["from"])), status, address, presence, at: now)
        return []
    }

    /// Handles the session's own presence, which a room sends last: the session has joined (XEP-0045 section 7.2.2).
    private mutating func handleSelfPresence(
        _ nick: String, _ status: MUCStatus?, _ address: JID, id: String?, at now: Duration
    ) -> [Action] {
        guard let room = rooms[address] else { return [] }
        let wasInside = room.isInside
        let isAssigned = status?.isNickAssigned == true
        let occupant = Occupant(
            nick, status?.item, nextOccupantStay(), isTrusted: services.trustsAddresses(in: address))
        rooms.update(address) {
            $0.nick = nick
            $0.occupants[nick] = occupant
            $0.phase = .inside
            $0.joinError = nil
            $0.wanted.password = $0.offeredPassword ?? $0.wanted.password
            $0.offeredPassword = nil
            $0.isSelfPingPending = false
            $0.hasAnswered = true
            $0.isTentative = false
            if nick == configuration.nick || isAssigned { $0.nickRetryAt = nil }
            guard !wasInside else { return }
            $0.awaitsFirstSubject = true
            $0.joinedAt = now
            if nick != configuration.nick, !isAssigned {
                $0.nickRetryAt = now + configuration.timeouts.nickRetryInterval
            }
        }
        clearDeliveryFailure(at: address)
        var actions = handleListEnd(address, id, at: now)
        if !wasInside, status?.isNewRoom == true {
            actions.append(unlock(address, at: now))
        }
        if !wasInside {
            if phase == .ready { actions.append(.log(.joined(room: address, as: nick))) }
            actions += distrustEntries(of: address)
            if nick != configuration.nick {
                actions.append(
                    .log(
                        isAssigned
                            ? .nickAssigned(configuration.nick, room: address, instead: nick)
                            : .nickTaken(configuration.nick, room: address, instead: nick)))
            }
            if room.doubtsList {
                rooms.update(address) { $0.doubtsList = false }
                actions += markUnverified(nil, in: address, at: now)
            }
            actions += queryArchive(of: address, at: now) + updateBookmarks(at: now)
        }
        return actions + completeJoining(at: now) + flush(at: now)
    }

    private mutating func handleOccupantPresence(
        _ nick: String, _ status: MUCStatus?, _ room: JID, _ presence: Element, at now: Duration
    ) -> [Action] {
        let isTrusted = services.trustsAddresses(in: room)
        let limit = maxOccupants(in: room)
        var occupant = Occupant(nick, status?.item, nextOccupantStay(), isTrusted: isTrusted)
        occupant.occupantID = Self.occupantID(presence)
        occupant.shownAt = now
        let isIdentifying = services.identifiesOccupants(at: room.domain)
        var comes = false
        var mayHide = false
        rooms.update(room) {
            let (old, unverified) = ($0.occupants[nick], $0.unverified[nick])
            // Someone who can create thousands of nicks mustn't fill the memory.
            guard old != nil || unverified != nil || $0.count < limit else { return $0.noteOverfull() }
            comes = old == nil && unverified == nil && $0.isInside && !$0.awaitsOccupants
            var isProven = false
            if let before = old ?? unverified {
                // Without having seen the old occupant leave, another address or id means another person.
                let mayBeSame =
                    (before.address == nil || occupant.address == nil || before.address == occupant.address)
                    && (!isIdentifying || before.probableOccupantID == nil
                        || before.probableOccupantID == occupant.occupantID)
                isProven = occupant.isSurely(before, isIdentifying: isIdentifying)
                let isSame = old == nil ? isProven : mayBeSame
                if isSame { occupant.stay = before.stay }
                if mayBeSame { occupant.countedStay = before.countedStay }
                // Anyone may have taken the nick meanwhile, unless the presence proves who has it.
                if isSame, !isProven { occupant.shownAt = before.shownAt }
                occupant.joinedAt = isSame ? before.joinedAt : now
            } else if comes {
                occupant.joinedAt = now
            }
            mayHide = $0.store(occupant, before: old ?? unverified, isProven: isProven)
        }
        if mayHide { return markUnverified(nick, in: room, at: now) }
        return comes ? receiveEvent(.joined, by: nick, in: room, at: now) : []
    }

    private mutating func handleOccupantLeave(
        _ status: MUCStatus?, _ room: JID, _ nick: String, _ presence: Element, at now: Duration
    ) -> [Action] {
        let words = presence.first("status", Namespace.client)?.text ?? status?.reason
        let events = receiveEvent(.left(words), by: nick, in: room, at: now)
        let isTrusted = services.trustsAddresses(in: room)
        var goes = false
        var renamed: String?
        rooms.update(room) {
            let known = $0.occupants.removeValue(forKey: nick)
            let unverified = $0.unverified.removeValue(forKey: nick)
            if known == nil { $0.lastUnverifiedLeave = now }
            guard var occupant = known ?? unverified else { return }
            // The occupant who had the robot's nick has left.
            if nick == configuration.nick, $0.nickRetryAt != nil { $0.nickRetryAt = $0.lastActivity }
            goes = $0.isInside
            guard let newNick = status?.newNick else {
                if let unusual = status?.unusualNewNick { $0.unusual[unusual] = occupant }
                return
            }
            goes = false
            // Nothing known of one person is passed on to another: the room shows next who has the nick.
            guard $0.occupants[newNick] == nil, newNick != $0.nick else { return }
            occupant.nick = newNick
            let told = Occupant(nick, status?.item, occupant.stay, isTrusted: isTrusted).person
            if told == nil || told != occupant.person { occupant.address = nil }
            if known == nil { $0.unverified[newNick] = occupant } else { $0.occupants[newNick] = occupant }
            if $0.isInside { renamed = newNick }
        }
        let limit = maxOccupants(in: room)
        rooms.update(room) { $0.planListIfOverfull(limit, at: now) }
        if let renamed { return receiveEvent(.renamed(from: nick), by: renamed, in: room, at: now) }
        return goes ? events : []
    }

    /// Handles that the session has left a room.
    private mutating func handleSelfLeave(_ status: MUCStatus?, _ address: JID, _ nick: String, at now: Duration)
        -> [Action]
    {
        guard let room = rooms[address] else { return [] }
        if let newNick = status?.newNick {
            rooms.update(address) {
                $0.occupants[nick] = nil
                $0.nick = newNick
                $0.nickRetryAt =
                    newNick == configuration.nick
                    ? nil : $0.nickRetryAt ?? now + configuration.timeouts.nickRetryInterval
            }
            let entry = newNick == configuration.nick ? [Action.log(.nickRegained(newNick, room: address))] : []
            // Limits the rate, however often a room changes the nick.
            guard peerLimits.admits(address, at: now) else { return entry }
            return entry + sendSelfPing(address, at: now)
        }
        if !room.isInside, room.doubtsList, status?.removalPhrase == nil {
            // The session had left before it joined: the answer to the join follows.
            rooms.update(address) {
                $0.forgetOccupants()
                $0.doubtsList = false
            }
            return []
        }
        // The room may handle a join after that, and answer it.
        let mayBeInside = !room.isInside || room.resync.isJoining
        let (isKick, isBan) = (status?.isKick == true, status?.isBan == true)
        let isDestroyed = status?.destroyElement != nil
        let isForGood =
            (isKick || isBan || isDestroyed) && !configuration.rejoinsAfterKick
            // The robot returns to a room by invitation only if it is invited again.
            || (isKick || isBan || isDestroyed || status?.isMembersOnlyRemoval == true)
                && !configuration.isConfigured(address)
        // Nobody has sent the robot away. ejabberd doesn't call it technical if a stanza couldn't be delivered, as may happen when
        // the session is resumed; that stanza is lost.
        let isByAccident = room.isInside && (status?.isTechnical == true || status?.removalPhrase == nil)
        let recentRemovals =
            (now - room.joinedAt < Self.longStay ? room.recentRemovals : 0) + (isKick || isByAccident ? 1 : 0)
        var lossActions: [Action] = []
        if isForGood {
            rooms.forget(address, mayBeInside: mayBeInside)
            unconfirmedMessages.forget(address)
        } else {
            let isRefusal = isBan || isDestroyed || status?.isMembersOnlyRemoval == true
            let wait =
                isRefusal
                ? configuration.timeouts.joinRetryDelay
                : configuration.timeouts.rejoinDelay * (1 << min(max(recentRemovals - 1, 0), 8))
            var missedSince: Duration?
            if isByAccident, hearsMissedMessages {
                let since = max(now - Self.longestDelivery, room.joinedAt)
                (missedSince, lossActions) = holdUnshownMessages(to: address, missedSince: since, at: now)
            }
            rooms.update(address) {
                $0.phase = .outside(until: now + wait)
                if let missedSince { $0.noteAbsence(since: missedSince) }
                $0.forgetOccupants()
                $0.doubtsList = mayBeInside
                $0.recentRemovals = recentRemovals
            }
        }
        let by = status?.actor.map { " by \(SafeText.visible($0, limit: 300))" } ?? ""
        let reason = (status?.reason ?? status?.destroyElement?.first("reason", Namespace.mucUser)?.text).map {
            SafeText.visible($0, limit: 300)
        }
        let words = reason.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
        let how = status?.removalPhrase ?? "removed from"
        var actions = [Action.log(.removed(room: address, how: how, by: by + words, rejoins: !isForGood))] + lossActions
        if isForGood { actions += updateBookmarks(at: now) }
        return actions + completeJoining(at: now) + flush(at: now)
    }
}
