/// One stay of somebody in a room, unlike any other of anybody's in any session.
struct Entry: Hashable, Sendable {
    /// What begins the ids of the session.
    let session: String
    let number: Int
}

/// Somebody in a room (XEP-0045 section 5).
package struct Occupant: Hashable, Sendable {
    package var nick: String
    /// Their own address without its resource, if the room shows it to us and is believed in that.
    package var person: JID? { isBelieved ? address : nil }
    /// The address that the room shows, without its resource.
    var address: JID?
    /// Whether the room is believed in whose address it shows.
    var isBelieved: Bool
    /// When they came in, or we did if they were there before us: a change of nick keeps it.
    var entry: Entry
    /// What the room's service calls them, or they themselves if it calls nobody anything (XEP-0421).
    var occupantID: String?
    /// The time at which they came in; nil if they were there before us.
    var entered: Duration?
    package var affiliation: Affiliation
    package var role: Role

    /// What somebody may do in general (XEP-0045 section 5.2).
    package enum Affiliation: String, Sendable { case owner, admin, member, outcast, none }

    /// What somebody may do now (XEP-0045 section 5.1).
    package enum Role: String, Sendable { case moderator, participant, visitor, none }

    /// - Parameters:
    ///   - item: What the room says of them.
    ///   - isBelieved: Whether the room is believed in whose address it shows.
    init(_ nick: String, _ item: Element?, _ entry: Entry, isBelieved: Bool) {
        self.nick = nick
        self.entry = entry
        self.isBelieved = isBelieved
        address = item?["jid"].flatMap { try? JID($0) }?.bare
        // Nothing else is kept, however long it is.
        affiliation = item?["affiliation"].flatMap { Affiliation(rawValue: $0) } ?? .none
        role = item?["role"].flatMap { Role(rawValue: $0) } ?? .none
    }

    /// Whether both are the same person beyond doubt.
    ///
    /// - Parameter isIdentifying: Whether the room's service tells occupants apart (XEP-0421).
    func isSurely(_ other: Occupant, isIdentifying: Bool) -> Bool {
        if let address { return address == other.address }
        return isIdentifying && occupantID != nil && occupantID == other.occupantID
    }
}
