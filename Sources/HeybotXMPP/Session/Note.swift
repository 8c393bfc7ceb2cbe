import HeybotSupport

/// Something about the stream that whoever runs the robot wants to know.
package enum Note: Hashable, Sendable, CustomStringConvertible {
    /// We are logged in, and were let into these rooms.
    case settled(as: JID, in: [JID])
    /// The server took a weaker way of logging in than last time.
    case weakerLogin(String, before: String)
    case joined(room: JID, as: String)
    case nickTaken(String, room: JID, instead: String)
    case nickRegained(String, room: JID)
    /// The room has given us another nick than the one we wanted, and won't have it otherwise.
    case nickAssigned(String, room: JID, instead: String)
    /// The room doesn't let us in, for its reason; we go on trying.
    case refused(room: JID, reason: String)
    /// A room that we were invited to doesn't let us in, for its reason; we don't try again.
    case turnedAway(room: JID, reason: String)
    /// We had to leave: `how` tells how, and `by` who did it and why.
    case removed(room: JID, how: String, by: String, comesBack: Bool)
    /// We were no longer in a room, and nobody had told us.
    case lostRoom(JID)
    case invited(room: JID, by: String, goes: Bool)
    /// Somebody invites us to a room, and we don't go, for that reason.
    case declined(room: JID, by: String, reason: String)
    /// We leave a room by ourselves, for that reason.
    case left(room: JID, reason: String)
    /// We don't go into a room, since that isn't one, or nobody can tell.
    case noRoom(JID, reason: String)
    /// The addresses that a room in the settings shows of its occupants aren't believed, for that reason.
    case unbelieved(room: JID, reason: String)
    case befriended(JID)
    case contactRefused(JID)
    /// We may hear in a room, and not speak: we have asked its moderators for voice.
    case mute(JID)
    /// What we said there wasn't taken, for that reason.
    case unsaid(to: JID, reason: String)
    /// So many messages found no room among those waiting to be said.
    case lost(Int)
    /// So many waited too long, for a connection or behind others, to be worth saying.
    case expired(Int)
    /// So many were for somebody in a room alone who isn't there any more.
    case withheld(Int)
    /// So many were sent shortly before the connection was lost, and the server may not have read them.
    case unconfirmed(Int)
    /// A stanza was over a limit and not read; its sender if that is known, which limit, and whether that was noted for
    /// another one within the last minute.
    case skipped(from: JID?, reason: String, isRepeated: Bool)

    /// Whether somebody should look after it.
    package var isWarning: Bool {
        switch self {
        case .weakerLogin, .nickTaken, .nickAssigned, .mute, .refused, .removed, .lost, .expired, .skipped,
            .unbelieved:
            true
        case .settled, .joined, .nickRegained, .turnedAway, .lostRoom, .invited, .declined, .noRoom, .left, .befriended,
            .contactRefused, .unsaid, .withheld, .unconfirmed:
            false
        }
    }

    package var description: String {
        switch self {
        case .settled(let address, let rooms):
            "logged in as \(address), "
                + (rooms.isEmpty ? "in no room" : "in \(rooms.map(\.description).joined(separator: ", "))")
        case .weakerLogin(let now, let before):
            "logged in by \(now), though it was \(before) last time: somebody may be in between"
        case .joined(let room, let nick): "joined \(room) as \(nick)"
        case .nickTaken(let nick, let room, let instead):
            "the nick \(nick) is taken in \(room); until it is free I am \(instead)"
        case .nickRegained(let nick, let room): "I am \(nick) again in \(room)"
        case .nickAssigned(let nick, let room, let instead): "\(room) wants me to be \(instead) there, not \(nick)"
        case .refused(let room, let reason): "\(room) doesn't let me in: \(reason); I'll keep trying"
        case .turnedAway(let room, let reason): "\(room) doesn't let me in after all: \(reason)"
        case .removed(let room, let how, let by, let comesBack):
            "\(how) \(room)\(by); \(comesBack ? "I'll go back" : "I stay out")"
        case .lostRoom(let room): "I was no longer in \(room); I'm going back"
        case .invited(let room, let by, let goes):
            "\(by) invites me to \(room)\(goes ? "" : "; I don't follow invitations of theirs")"
        case .declined(let room, let by, let reason): "\(by) invites me to \(room); I don't go: \(reason)"
        case .left(let room, let reason): "I leave \(room): \(reason)"
        case .noRoom(let room, let reason): "I don't go into \(room): \(reason)"
        case .unbelieved(let room, let reason):
            "people in \(room) are known by their nick there only, and nobody by their own address: \(reason)"
        case .befriended(let person): "\(person) has befriended me"
        case .contactRefused(let person): "\(person) wants to befriend me and may not"
        case .unconfirmed(let count):
            "\(count) message\(count == 1 ? "" : "s") may not have arrived: the connection was lost shortly after"
        case .skipped(let sender, let reason, _):
            "a stanza\(sender.map { " from \(SafeText.visible($0.description, limit: 300))" } ?? "") wasn't read: \(reason)"
        case .mute(let room): "I may not speak in \(room), and have asked for voice; I answer in private there"
        case .unsaid(let target, let reason): "\(target) didn't get what I said: \(reason)"
        case .withheld(let count):
            "\(count) private answer\(count == 1 ? " wasn't" : "s weren't") said: whoever asked has left the room"
        case .lost(let count): "\(count) message\(count == 1 ? "" : "s") lost: too much was waiting to be said"
        case .expired(let count):
            "\(count) message\(count == 1 ? " was" : "s were") never said: "
                + "\(count == 1 ? "it" : "they") had waited for too long"
        }
    }
}
