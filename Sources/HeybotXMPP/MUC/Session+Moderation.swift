// Changes rooms as a moderator or an admin (XEP-0045 sections 8 and 9).

/// A change of a room that a moderator requests, or what is read for one.
package enum RoomChange: Hashable, Sendable {
    /// Changes the role of the occupant in a stay; the role `none` removes the occupant.
    case role(Occupant.Role, of: String, reason: String)
    /// Changes the affiliation of a person; `outcast` is a ban.
    case affiliation(Occupant.Affiliation, of: JID, reason: String)
    /// Reads the list of the outcasts, without a change.
    case outcasts
    /// Sets the subject.
    case subject(String)
    /// Retracts a message of an occupant, by the id that the room has given it (XEP-0425); if `isOld`, in the form of the
    /// specification's earlier version, which some servers still want.
    case retraction(of: String, reason: String, isOld: Bool)

    /// Whether an answer to ``outcasts`` has a person in its list.
    package static func isOutcast(_ person: JID, in list: Element?) -> Bool {
        (list?.all("item", Namespace.mucAdmin) ?? []).contains { item in
            item["affiliation"] == Occupant.Affiliation.outcast.rawValue
                && item["jid"].flatMap { try? JID($0) }?.bare == person.bare
        }
    }
}

extension Occupant {
    /// The stay as text: the next occupant with the nick has another one.
    package var stayText: String { "\(stay.session) \(stay.number)" }
}

extension Session {
    private static let maxSubjectRequests = 100

    /// The occupant of a room in a stay, whatever the nick is now; nil if they have left.
    package func occupant(in stay: String, of room: JID) -> Occupant? {
        occupants(of: room).values.first { $0.stayText == stay }
    }

    /// Whether the room hasn't listed some occupants again after a change, so that nobody knows who has their nicks.
    package func hasUnverifiedOccupants(in room: JID) -> Bool { rooms[room]?.unverified.isEmpty == false }

    /// Returns what identifies an occupant in later sessions too: the address, or else the occupant id (XEP-0421).
    ///
    /// - Returns: Nil if the room shows neither.
    package func lastingName(of occupant: Occupant, in room: JID) -> String? {
        if let person = occupant.person { return person.description }
        guard services.identifiesOccupants(at: room.domain), let id = occupant.occupantID else { return nil }
        // No address has a space.
        return "occupant \(id)"
    }

    /// Whether an occupant is certainly the requester, and not another one who had the nick before.
    package func isSurely(_ occupant: Occupant, _ requester: RequesterIdentity) -> Bool {
        if let person = occupant.person { return requester.id == person.description }
        if case .visible(let stay, _) = requester.occupantVisibility { return stay == occupant.stay }
        return false
    }

    /// Requests a change of a room; the result arrives as ``Action/answer(_:_:)`` with this name.
    ///
    /// An occupant who has left is an error, `item-not-found`.
    package mutating func moderate(
        _ change: RoomChange, in room: JID, as name: String, at now: Duration
    ) -> [Action] {
        guard isOnline else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        }
        guard rooms[room]?.isInside == true else {
            return [.answer(name, .failure(StanzaError(condition: .notAcceptable)))]
        }
        if case .retraction(let id, let reason, let isOld) = change {
            return ask(Self.moderation(of: id, reason, isOld: isOld), "set", to: room, as: name, at: now)
        }
        let (item, type): (Element, String)
        switch change {
        case .role(let role, let stay, let reason):
            guard let occupant = self.occupant(in: stay, of: room) else {
                return [.answer(name, .failure(StanzaError(condition: .itemNotFound)))]
            }
            (item, type) = (Self.item(["nick": occupant.nick, "role": role.rawValue], reason), "set")
        case .affiliation(let affiliation, let person, let reason):
            let attributes: Attributes = ["jid": person.bare.description, "affiliation": affiliation.rawValue]
            (item, type) = (Self.item(attributes, reason), "set")
        case .outcasts: (item, type) = (Self.item(["affiliation": Occupant.Affiliation.outcast.rawValue], ""), "get")
        case .subject(let subject): return changeSubject(subject, of: room, as: name, at: now)
        case .retraction: return []
        }
        return ask(Element("query", Namespace.mucAdmin, [:], item), type, to: room, as: name, at: now)
    }

    private static func item(_ attributes: Attributes, _ reason: String) -> Element {
        var item = Element("item", Namespace.mucAdmin, attributes)
        if !reason.isEmpty { item.append(Element("reason", Namespace.mucAdmin, text: reason)) }
        return item
    }

    /// Returns the request to retract a message.
    private static func moderation(of id: String, _ reason: String, isOld: Bool) -> Element {
        let namespace = isOld ? Namespace.oldModeration : Namespace.moderation
        var moderate = Element("moderate", namespace, isOld ? [:] : ["id": id])
        moderate.append(Element("retract", isOld ? Namespace.oldRetraction : Namespace.retraction))
        if !reason.isEmpty { moderate.append(Element("reason", namespace, text: reason)) }
        return isOld ? Element("apply-to", Namespace.fastening, ["id": id], moderate) : moderate
    }

    // MARK: Subjects

    /// Sends a subject, and then a query: if the room refuses the subject, that arrives before the response.
    private mutating func changeSubject(
        _ subject: String, of room: JID, as name: String, at now: Duration
    ) -> [Action] {
        guard !requests.isFull, subjectRequests.count < Self.maxSubjectRequests else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .resourceConstraint)))]
        }
        lastID += 1
        let id = "\(idPrefix)-\(lastID)"
        subjectRequests[id] = (name, room)
        let message = Element(
            "message", Namespace.client, ["to": room.description, "type": "groupchat", "id": id],
            Element("subject", Namespace.client, text: subject))
        return [.send(message), ask(Element("query", Namespace.discoInfo), to: room, for: .subject(name), at: now)]
    }

    /// Ends the change of a subject that an error from a room refuses.
    ///
    /// - Returns: The name of the owner's request; nil if the error is about something else.
    mutating func takeSubjectRequest(_ id: String?, of room: JID) -> String? {
        guard let id, let request = subjectRequests[id], request.room == room.bare else { return nil }
        subjectRequests[id] = nil
        return request.name
    }

    /// Ends the change of a subject.
    ///
    /// - Returns: False if the room has refused it.
    mutating func forgetSubjectRequest(_ name: String) -> Bool {
        let others = subjectRequests.filter { $0.value.name != name }
        defer { subjectRequests = others }
        return others.count < subjectRequests.count
    }
}
