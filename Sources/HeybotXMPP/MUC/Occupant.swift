/// One stay of one person in a room, unique across sessions.
struct OccupantStay: Hashable, Sendable {
    /// The prefix of the session's ids.
    let session: String
    let number: Int
}

/// An occupant of a room (XEP-0045 section 5).
package struct Occupant: Hashable, Sendable {
    package var nick: String
    /// The occupant's own address without its resource, if the room shows it and is trusted.
    package var person: JID? { isTrusted ? address : nil }
    /// The address that the room shows, without its resource; nil if it isn't in its normal form.
    var address: JID?
    /// The address that the room shows in any form, without its resource.
    private var anyAddress: JID?
    /// Whether the room shows an address that can't be read, such as one with a character that no address may have (RFC 7622).
    ///
    /// Servers with older rules let an account log in under many such spellings, which would escape rate limits and ignoring.
    private var hasUnreadableAddress: Bool
    /// Whether the occupant is someone whose address is shown, but can't be read.
    var isUnreadable: Bool { isTrusted && hasUnreadableAddress }
    /// The person that the occupant probably is: rate limits and ignoring apply to that person, but it isn't proven.
    var presumedPerson: JID? { isTrusted ? anyAddress : nil }
    /// Whether the addresses that the room shows are trusted.
    var isTrusted: Bool
    /// The current stay; a change of nick keeps it.
    var stay: OccupantStay
    /// The stay that rate limits count for: the current one, or that of the occupant who probably is the same.
    var countedStay: OccupantStay
    /// The occupant id that the room's service sets, or the occupant itself if the service doesn't support that (XEP-0421).
    var occupantID: String?
    /// When the room last proved that the occupant is there, on the session's clock; zero if it never did.
    var shownAt: Duration = .zero
    /// The occupant id of the occupant who probably is the same.
    private var presumedOccupantID: String?
    /// The occupant id, or that of the occupant who probably is the same.
    var probableOccupantID: String? { occupantID ?? presumedOccupantID }
    /// Whether the room has shown the role.
    var isRoleKnown: Bool
    /// The time at which the occupant came in; nil if it was there before the session.
    var joinedAt: Duration?
    package var affiliation: Affiliation
    package var role: Role

    /// The long-lived association with the room (XEP-0045 section 5.2).
    package enum Affiliation: String, Sendable { case owner, admin, member, outcast, none }

    /// The permissions for the current visit (XEP-0045 section 5.1).
    package enum Role: String, Sendable { case moderator, participant, visitor, none }

    /// - Parameters:
    ///   - item: The room's description of the occupant.
    ///   - isTrusted: Whether the addresses that the room shows are trusted.
    init(_ nick: String, _ item: Element?, _ stay: OccupantStay, isTrusted: Bool) {
        self.nick = nick
        self.stay = stay
        countedStay = stay
        self.isTrusted = isTrusted
        let shown = item?["jid"].flatMap { try? JID($0) }
        anyAddress = shown?.bare
        hasUnreadableAddress = shown == nil && item?["jid"] != nil
        address = shown.flatMap { $0.isIdentifying(item?["jid"]) ? $0.bare : nil }
        // Other values, however long, aren't kept.
        affiliation = item?["affiliation"].flatMap { Affiliation(rawValue: $0) } ?? .none
        role = item?["role"].flatMap { Role(rawValue: $0) } ?? .none
        isRoleKnown = item != nil
    }

    /// Takes rate limits and ignoring over from an occupant who probably is the same, but not surely.
    mutating func presume(_ other: Occupant) {
        anyAddress = other.anyAddress
        hasUnreadableAddress = other.hasUnreadableAddress
        isTrusted = other.isTrusted
        countedStay = other.countedStay
        presumedOccupantID = other.probableOccupantID
        (role, isRoleKnown) = (other.role, other.isRoleKnown)
    }

    /// Whether both are certainly the same person.
    ///
    /// - Parameter isIdentifying: Whether the room's service sets occupant ids (XEP-0421).
    func isSurely(_ other: Occupant, isIdentifying: Bool) -> Bool {
        if let address { return address == other.address }
        return isIdentifying && occupantID != nil && occupantID == other.occupantID
    }
}

/// The occupants with one nick.
struct OccupantsSharingNick {
    var verified: Occupant?
    var unverified: Occupant?
    /// Whether the nick isn't in its normal form.
    var isUnusual = false
    /// Whether the one or the other shows an address that can't be read.
    var areUnreadable: Bool { verified?.isUnreadable == true || unverified?.isUnreadable == true }
}
