import HeybotSupport

// Handles stanzas that exceeded a limit and were skipped.

extension Session {
    /// The minimum time between two skipped stanzas that are logged as warnings.
    private static let skipReportInterval: Duration = .seconds(60)

    /// Handles a skipped stanza as far as its start tag is known.
    mutating func handleSkipped(_ stanza: SkippedElement, at now: Duration) -> [Action] {
        let from = stanza["from"].flatMap { addresses.jid($0) }
        let isRepeated = lastSkipReport.map { now - $0 < Self.skipReportInterval } ?? false
        if !isRepeated { lastSkipReport = now }
        let entry = Action.log(.stanzaSkipped(from: from, reason: stanza.reason, isRepeated: isRepeated))
        // A sender whose address isn't valid can't be answered, and is no occupant.
        guard from != nil || stanza["from"] == nil else { return [entry] }
        guard let name = stanza.name else {
            // It may be the presence of this sender, or of any occupant of any room.
            return [entry] + (from.map { doubt($0, at: now) } ?? doubtAll(at: now))
        }
        guard stanza.namespace == Namespace.client else { return [entry] }
        switch name {
        case "presence":
            if let nick = from?.resource, !JID.isNormalResource(in: stanza["from"], nick) { return [entry] }
            return [entry] + forgetOccupant(from, type: stanza["type"], at: now)
        // Only the room itself can send one: it may be about a change of the configuration.
        case "message" where stanza["type"] == "groupchat":
            return [entry] + (from.flatMap { $0.isBare ? doubt($0, at: now) : nil } ?? [])
        case "iq": return [entry] + handleSkippedIQ(stanza, from: from, at: now)
        default: return [entry]
        }
    }

    /// Makes an occupant unverified who may have sent a presence that can't be read; all in a room if its address is given.
    private mutating func doubt(_ sender: JID, at now: Duration) -> [Action] {
        rooms.update(sender.bare) { $0.doubt(sender.resource, at: now) }
        return maintainRooms(at: now)
    }

    private mutating func doubtAll(at now: Duration) -> [Action] {
        rooms.updateAll { $0.doubt(nil, at: now) }
        return maintainRooms(at: now)
    }

    /// The occupant with this nick is unknown from now on, and must not be mistaken for the previous one.
    private mutating func forgetOccupant(_ occupant: JID?, type: String?, at now: Duration) -> [Action] {
        guard let occupant, type == nil || type == "unavailable" else { return [] }
        guard let nick = occupant.resource else { return doubt(occupant, at: now) }
        let limit = maxOccupants(in: occupant.bare)
        var unknown = Occupant(nick, nil, nextOccupantStay(), isTrusted: false)
        rooms.update(occupant.bare) {
            guard nick != $0.nick else { return }
            switch $0.phase {
            case .outside, .checking: return
            case .entering, .inside: break
            }
            let before = $0.occupants.removeValue(forKey: nick) ?? $0.unverified.removeValue(forKey: nick)
            unknown.joinedAt = $0.isInside ? now : nil
            if let before {
                unknown.presume(before)
                unknown.joinedAt = before.joinedAt
            }
            if type != nil {
                $0.lastUnverifiedLeave = now
            } else if before != nil || $0.count < limit {
                _ = $0.store(unknown, before: nil, isProven: false)
            } else {
                $0.noteOverfull()
            }
        }
        return []
    }

    private mutating func handleSkippedIQ(_ stanza: SkippedElement, from: JID?, at now: Duration) -> [Action] {
        guard let id = stanza["id"] else { return [] }
        var iq = Element("iq", Namespace.client, ["id": id])
        iq["from"] = stanza["from"]
        switch stanza["type"] {
        case "get", "set":
            guard queryLimits.admits(requester(from), at: now) else { return [] }
            return [Self.error(.policyViolation, "modify", to: iq)]
        case "result", "error":
            return handleIQResponse(
                id, from: from,
                .failure(StanzaError(type: "modify", condition: .policyViolation, text: stanza.reason)), at: now)
        default: return []
        }
    }
}
