import HeybotSupport

// What a stanza means that was over a limit and not read.

extension Session {
    /// How long after a skipped stanza another one is no news.
    private static let skipQuiet: Duration = .seconds(60)

    /// Takes what is known of a stanza that was skipped.
    mutating func takeSkipped(_ stanza: SkippedElement, at now: Duration) -> [Action] {
        let from = stanza["from"].flatMap { addresses.jid($0) }
        let isRepeated = skipTold.map { now - $0 < Self.skipQuiet } ?? false
        if !isRepeated { skipTold = now }
        let note = Action.note(.skipped(from: from, reason: stanza.reason, isRepeated: isRepeated))
        // A sender that can't be named can't be answered either.
        guard stanza.namespace == Namespace.client, from != nil || stanza["from"] == nil else { return [note] }
        switch stanza.name {
        case "presence":
            forgetOccupant(from)
            return [note]
        case "iq": return [note] + takeSkippedIQ(stanza, from: from, at: now)
        default: return [note]
        }
    }

    /// Who has that nick now isn't known, and must not be taken for the one who had it before.
    private mutating func forgetOccupant(_ occupant: JID?) {
        guard let occupant, let nick = occupant.resource else { return }
        rooms.update(occupant.bare) { if nick != $0.nick { $0.occupants[nick] = nil } }
    }

    private mutating func takeSkippedIQ(_ stanza: SkippedElement, from: JID?, at now: Duration) -> [Action] {
        guard let id = stanza["id"] else { return [] }
        var iq = Element("iq", Namespace.client, ["id": id])
        iq["from"] = stanza["from"]
        switch stanza["type"] {
        case "get", "set":
            guard answers.admits(asker(from), at: now) else { return [] }
            return [Self.error(.policyViolation, "modify", to: iq)]
        case "result", "error":
            return takeAnswer(
                id, from: from,
                .failure(StanzaError(type: "modify", condition: .policyViolation, text: stanza.reason)), at: now)
        default: return []
        }
    }
}
