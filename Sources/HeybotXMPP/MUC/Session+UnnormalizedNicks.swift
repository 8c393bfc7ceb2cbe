// Handles occupants whose nicks aren't in the normal form.

extension Session {
    /// Handles the presence of an occupant whose nick isn't in its normal form.
    ///
    /// A service that compares nicks by other rules than RFC 8265's may have another occupant whose nick is that form. So this one
    /// is never identified; it is only known for rate limits and ignoring.
    ///
    /// - Parameter nick: The bytes of the nick as it was received.
    mutating func handleUnnormalizedNick(
        _ nick: [UInt8], _ status: MUCStatus?, _ room: JID, _ presence: Element, at now: Duration
    ) {
        let isTrusted = services.trustsAddresses(in: room)
        let limit = maxOccupants(in: room)
        var occupant = Occupant(
            String(decoding: nick, as: UTF8.self), status?.item, nextOccupantStay(), isTrusted: isTrusted)
        occupant.occupantID = Self.occupantID(presence)
        occupant.joinedAt = now
        rooms.update(room) {
            let before = $0.unusual.removeValue(forKey: nick)
            switch presence["type"] {
            case nil:
                guard before != nil || $0.count < limit else { return }
                if let before {
                    (occupant.stay, occupant.joinedAt) = (before.stay, before.joinedAt)
                    occupant.countedStay = before.countedStay
                }
                $0.unusual[nick] = occupant
            case "unavailable":
                // Private answers aren't sent to the normal form, which may be another occupant's nick.
                $0.lastUnverifiedLeave = now
                guard let before else { return }
                if let newNick = status?.unusualNewNick { $0.unusual[newNick] = before }
                // The room shows next who has the nick.
                if let newNick = status?.newNick, newNick != $0.nick, $0.occupants[newNick] == nil,
                    $0.unverified[newNick] == nil
                {
                    $0.unverified[newNick] = before
                }
            default: $0.unusual[nick] = before
            }
        }
    }
}
