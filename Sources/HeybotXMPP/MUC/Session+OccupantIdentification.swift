// Identifies the occupants who send messages, for rate limits and for the answers (XEP-0421).

extension Session {
    /// How long newcomers share their turns, so that rejoining gains nothing.
    private static let newcomerTime: Duration = .seconds(60)

    /// - Parameters:
    ///   - known: The occupants with the sender's nick: a verified one, and one who isn't.
    ///   - occupant: The verified one, if the message is that occupant's.
    ///   - sentID: The occupant id in the message.
    func requester(
        _ sender: JID, _ occupant: Occupant?, _ known: OccupantsSharingNick, _ sentID: String?, at now: Duration
    ) -> RequesterIdentity {
        let room = sender.bare
        guard let occupant else {
            let sentKey = services.requesterKey(ofOccupantID: sentID, in: room)
            let probable = (known.verified ?? known.unverified).flatMap {
                sentKey == nil || $0.probableOccupantID == nil || $0.probableOccupantID == sentID ? $0 : nil
            }
            let occupantVisibility: RequesterIdentity.OccupantVisibility =
                known.isUnusual
                ? .unreachable
                : .hidden(at: now, lastKnown: verifiedSender(known.unverified, sentID, in: room)?.stay)
            var requester = RequesterIdentity(newcomer: sender.description, occupantVisibility, in: room)
            requester.limitID =
                probable?.presumedPerson?.description ?? sentKey ?? probable.map { key(of: $0, in: room) }
                ?? requester.id
            return requester
        }
        let stay = occupant.stay
        let isNew = occupant.joinedAt.map { now - $0 < Self.newcomerTime } ?? false
        if let person = occupant.person {
            // Addresses at the account's own server are hard to get; at their own server people have as many as they like.
            let isStranger = isNew && person.domain != configuration.address.domain
            return isStranger
                ? RequesterIdentity(newcomer: person.description, .visible(stay, at: now), in: room)
                : RequesterIdentity(person, .visible(stay, at: now))
        }
        let id = services.requesterKey(ofOccupantID: occupant.occupantID, in: room) ?? key(of: stay, in: room)
        var requester =
            isNew
            ? RequesterIdentity(newcomer: id, .visible(stay, at: now), in: room)
            : RequesterIdentity(id, .visible(stay, at: now))
        requester.limitID = key(of: occupant, in: room)
        return requester
    }

    /// Returns the key of rate limits for an occupant who isn't identified.
    private func key(of occupant: Occupant, in room: JID) -> String {
        occupant.presumedPerson?.description ?? services.requesterKey(ofOccupantID: occupant.occupantID, in: room)
            ?? key(of: occupant.countedStay, in: room)
    }

    private func key(of stay: OccupantStay, in room: JID) -> String {
        // No nick contains a zero character.
        "\(room)/\0\(stay.session)\(stay.number)"
    }

    /// Returns the occupant with a nick, unless the message is proven to be another occupant's.
    ///
    /// If the service sets occupant ids, a message has exactly one (XEP-0421 section 3): a nick alone doesn't say who speaks.
    func verifiedSender(of message: Element, _ occupant: Occupant?, in room: JID) -> Occupant? {
        verifiedSender(occupant, Self.occupantID(message), in: room)
    }

    private func verifiedSender(_ occupant: Occupant?, _ sentID: String?, in room: JID) -> Occupant? {
        guard let occupant, services.identifiesOccupants(at: room.domain) else { return occupant }
        guard let sentID, sentID == occupant.occupantID else { return nil }
        return occupant
    }

    /// Returns the occupant id in a stanza (XEP-0421 section 3).
    static func occupantID(_ stanza: Element) -> String? {
        let all = stanza.all("occupant-id", Namespace.occupantID)
        return all.count == 1 ? bounded(all[0]["id"]) : nil
    }
}
