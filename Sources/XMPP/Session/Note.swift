/// Something about the stream that whoever runs the robot wants to know.
public enum Note: Hashable, Sendable, CustomStringConvertible {
    /// We are logged in, and were let into these rooms.
    case settled(as: JID, in: [JID])
    /// The server took a weaker way of logging in than last time.
    case weakerLogin(String, before: String)
    case joined(room: JID, as: String)
    case nickTaken(String, room: JID, instead: String)
    case nickRegained(String, room: JID)
    /// The room doesn't let us in, for its reason.
    case refused(room: JID, reason: String, keepsTrying: Bool)
    /// We had to leave: `how` tells how, and `by` who did it and why.
    case removed(room: JID, how: String, by: String, comesBack: Bool)
    /// We were no longer in a room, and nobody had told us.
    case lostRoom(JID)
    case invited(room: JID, by: String, goes: Bool)
    case befriended(JID)
    case contactRefused(JID)
    /// What we said there wasn't taken, for that reason.
    case unsaid(to: JID, reason: String)
    /// So many messages found no room among those waiting to be said.
    case lost(Int)
    /// So many waited too long for a connection to be worth saying.
    case expired(Int)

    /// Whether somebody should look after it.
    public var isWarning: Bool {
        switch self {
        case .weakerLogin, .nickTaken, .refused, .removed, .lost, .expired: true
        case .settled, .joined, .nickRegained, .lostRoom, .invited, .befriended, .contactRefused, .unsaid: false
        }
    }

    public var description: String {
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
        case .refused(let room, let reason, let keepsTrying):
            "\(room) doesn't let me in: \(reason); I\(keepsTrying ? "'ll keep trying" : " stay out")"
        case .removed(let room, let how, let by, let comesBack):
            "\(how) \(room)\(by); \(comesBack ? "I'll go back" : "I stay out")"
        case .lostRoom(let room): "I was no longer in \(room); I'm going back"
        case .invited(let room, let by, let goes):
            "\(by) invites me to \(room)\(goes ? "" : "; I don't follow invitations of theirs")"
        case .befriended(let person): "\(person) has befriended me"
        case .contactRefused(let person): "\(person) wants to befriend me and may not: see HEYBOT_XMPP_CONTACTS"
        case .unsaid(let target, let reason): "\(target) didn't get what I said: \(reason)"
        case .lost(let count): "\(count) message\(count == 1 ? "" : "s") lost: too much was waiting to be said"
        case .expired(let count):
            "\(count) message\(count == 1 ? " was" : "s were") never said: the connection was away for too long"
        }
    }
}
