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
        // Without its start tag it may be the presence of any occupant of any room.
        guard stanza.name != nil else {
            return [entry] + rooms.inside.flatMap { markUnverified(nil, in: $0, at: now) }
        }
        // A sender whose address isn't valid can't be answered either.
        guard stanza.namespace == Namespace.client, from != nil || stanza["from"] == nil else { return [entry] }
        switch stanza.name {
        case "presence":
            forgetOccupant(from, type: stanza["type"], at: now)
            return [entry]
        case "iq": return [entry] + handleSkippedIQ(stanza, from: from, at: now)
        default: return [entry]
        }
    }

    /// The occupant with this nick is unknown from now on, and must not be mistaken for the previous one.
    private mutating func forgetOccupant(_ occupant: JID?, type: String?, at now: Duration) {
        guard let occupant, let nick = occupant.resource, type == nil || type == "unavailable" else { return }
        let limit = maxOccupants(in: occupant.bare)
        let unknown = Occupant(nick, nil, nextOccupancy(), isTrusted: false)
        rooms.update(occupant.bare) {
            guard nick != $0.nick else { return }
            let before = $0.occupants.removeValue(forKey: nick) ?? $0.unverified.removeValue(forKey: nick)
            // The next presence shows another role, so it is known that the occupant was there before.
            if type != nil {
                $0.lastUnverifiedLeave = now
            } else if before != nil || $0.count < limit {
                _ = $0.store(unknown, before: nil)
            } else {
                $0.noteOverfull()
            }
        }
    }

    private mutating func handleSkippedIQ(_ stanza: SkippedElement, from: JID?, at now: Duration) -> [Action] {
        guard let id = stanza["id"] else { return [] }
        var iq = Element("iq", Namespace.client, ["id": id])
        iq["from"] = stanza["from"]
        switch stanza["type"] {
        case "get", "set":
            guard peerLimits.admits(requester(from), at: now) else { return [] }
            return [Self.error(.policyViolation, "modify", to: iq)]
        case "result", "error":
            return handleIQResponse(
                id, from: from,
                .failure(StanzaError(type: "modify", condition: .policyViolation, text: stanza.reason)), at: now)
        default: return []
        }
    }
}
