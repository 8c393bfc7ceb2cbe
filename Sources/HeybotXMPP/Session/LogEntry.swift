import HeybotSupport

/// An event of a session that is worth a line in the log.
package enum LogEntry: Hashable, Sendable, CustomStringConvertible {
    /// The session is logged in and has joined these rooms.
    case ready(as: JID, in: [JID])
    /// The server accepted a weaker authentication mechanism than last time.
    case mechanismDowngraded(String, before: String)
    /// The session goes on after the connection had broken, and has sent this number of stanzas again.
    case resumed(Int)
    case joined(room: JID, as: String)
    /// A configured room didn't exist, and the session has created it.
    case created(room: JID, isPersistent: Bool)
    /// The session has created a room, but the service didn't accept its configuration.
    case notUnlocked(room: JID, reason: String)
    case nickTaken(String, room: JID, instead: String)
    case nickRegained(String, room: JID)
    /// The room insists on another nick than the configured one.
    case nickAssigned(String, room: JID, instead: String)
    /// The room refused the join; the session keeps trying.
    case joinRefused(room: JID, reason: String)
    /// A room that the robot was invited to, or asked to join, refused the join; the session doesn't retry.
    case joinAbandoned(room: JID, reason: String)
    /// The session was removed from the room: `how` describes how, and `by` who did it and why.
    case removed(room: JID, how: String, by: String, rejoins: Bool)
    /// The session was no longer in a room, without having been told so.
    case membershipLost(JID)
    case invited(room: JID, by: String, accepted: Bool)
    /// The session doesn't follow an invitation, for this reason.
    case invitationDeclined(room: JID, by: String, reason: String)
    /// The session leaves a room on its own, for this reason.
    case left(room: JID, reason: String)
    /// The session doesn't join a room, because the address isn't a room's or nothing is known of it.
    case joinSkipped(JID, reason: String)
    /// The addresses that a configured room shows of its occupants aren't trusted, for this reason.
    case addressesUntrusted(room: JID, reason: String)
    /// The account's server hasn't stored or removed the bookmark of a room, for this reason.
    case bookmarkNotChanged(room: JID, reason: String)
    /// The account's server can't store bookmarks that only the account can read.
    case bookmarksUnavailable
    case contactAccepted(JID)
    case contactRejected(JID)
    /// The robot isn't allowed to speak in a room; the session has requested voice from the moderators.
    case voiceRequested(JID)
    /// A message wasn't delivered, for this reason.
    case notDelivered(to: JID, reason: String)
    /// The number of messages that were dropped because the queue was full.
    case dropped(Int)
    /// The number of messages that were dropped because they waited too long.
    case expired(Int)
    /// The number of direct messages that weren't sent because their recipient has left the room.
    case withheld(Int)
    /// The number of messages that were sent shortly before the connection was lost, and which the server may not have read.
    case unconfirmed(Int)
    /// The number of commands to an earlier robot that the session doesn't handle, and the room; nil if they are private.
    case commandsAbandoned(Int, AbandonReason, in: JID?)
    /// A stanza exceeded a limit and was skipped: its sender if that is known, the limit, and whether another one was logged
    /// within the last minute.
    case stanzaSkipped(from: JID?, reason: String, isRepeated: Bool)

    /// Why commands to an earlier robot aren't handled.
    package enum AbandonReason: String, Sendable {
        case answersUnknown = "the archive hasn't told everything, so some answers aren't known"
        case killedRobots = "the robot was killed at each attempt"
        case tooMany = "there are too many"
    }

    /// Whether an operator should look into it.
    package var isWarning: Bool {
        switch self {
        case .mechanismDowngraded, .nickTaken, .nickAssigned, .voiceRequested, .joinRefused, .removed, .dropped,
            .expired, .stanzaSkipped, .addressesUntrusted, .notUnlocked, .commandsAbandoned:
            true
        case .created(_, let isPersistent): !isPersistent
        case .ready, .resumed, .joined, .nickRegained, .joinAbandoned, .membershipLost, .invited, .invitationDeclined,
            .joinSkipped, .left, .bookmarkNotChanged, .bookmarksUnavailable,
            .contactAccepted, .contactRejected, .notDelivered, .withheld,
            .unconfirmed:
            false
        }
    }

    package var description: String {
        switch self {
        case .ready(let address, let rooms):
            "logged in as \(address), "
                + (rooms.isEmpty ? "in no room" : "in \(rooms.map(\.description).joined(separator: ", "))")
        case .mechanismDowngraded(let now, let before):
            "logged in with \(now), but last time with \(before): possible man-in-the-middle attack"
        case .resumed(0): "resumed the session"
        case .resumed(let count):
            "resumed the session, and sent \(count) \(count == 1 ? "stanza" : "stanzas") again"
        case .joined(let room, let nick): "joined \(room) as \(nick)"
        case .created(let room, true): "\(room) didn't exist: created it as a persistent room"
        case .created(let room, false):
            "\(room) didn't exist: created it, but not as a persistent room; once everyone has left, the server deletes the room, "
                + "and anyone can recreate and own it; to prevent that, log in with the robot's account and make the room "
                + "persistent"
        case .notUnlocked(let room, let reason):
            "\(room) didn't exist: created it, but the server rejected the room's configuration (\(reason)): others may be "
                + "unable to join until you log in with the robot's account and configure the room"
        case .nickTaken(let nick, let room, let instead):
            "the nick \(nick) is taken in \(room); I'm \(instead) until it is free"
        case .nickRegained(let nick, let room): "I'm \(nick) again in \(room)"
        case .nickAssigned(let nick, let room, let instead):
            "\(room) assigned me the nick \(instead) instead of \(nick)"
        case .joinRefused(let room, let reason): "can't join \(room): \(reason); retrying"
        case .joinAbandoned(let room, let reason): "can't join \(room): \(reason); not retrying"
        case .removed(let room, let how, let by, let rejoins):
            "\(how) \(room)\(by); \(rejoins ? "rejoining" : "not rejoining")"
        case .membershipLost(let room): "\(room) no longer lists the robot as an occupant; rejoining"
        case .invited(let room, let by, let accepted):
            "\(by) invited me to \(room)\(accepted ? "" : "; ignored, because that user may not invite me")"
        case .invitationDeclined(let room, let by, let reason): "\(by) invited me to \(room); not joining: \(reason)"
        case .left(let room, let reason): "left \(room): \(reason)"
        case .joinSkipped(let room, let reason): "not joining \(room): \(reason)"
        case .addressesUntrusted(let room, let reason):
            "users in \(room) are identified by nick only: \(reason)"
        case .bookmarkNotChanged(let room, let reason):
            "the server hasn't changed the bookmark of \(room): \(reason)"
        case .bookmarksUnavailable: "the server can't store bookmarks for the account only, so the robot stores none"
        case .contactAccepted(let person): "accepted a contact request from \(person)"
        case .contactRejected(let person): "rejected a contact request from \(person)"
        case .unconfirmed(let count):
            "\(count) message\(count == 1 ? "" : "s") may not have arrived: the connection was lost shortly after "
                + "\(count == 1 ? "it was" : "they were") sent"
        case .stanzaSkipped(let sender, let reason, _):
            "a stanza\(sender.map { " from \(SafeText.visible($0.description, limit: 300))" } ?? "") was skipped: \(reason)"
        case .voiceRequested(let room):
            "not allowed to speak in \(room): requesting voice, and answering in private"
        case .notDelivered(let target, let reason): "\(target) didn't receive my message: \(reason)"
        case .commandsAbandoned(let count, let reason, let room):
            "\(count) \(count == 1 ? "command" : "commands") to a killed robot \(count == 1 ? "isn't" : "aren't") handled"
                + (room.map { " in \($0)" } ?? "") + ": \(reason.rawValue)"
        case .withheld(let count):
            "\(count) private answer\(count == 1 ? " wasn't" : "s weren't") sent: the user may have left the room"
        case .dropped(let count): "\(count) message\(count == 1 ? "" : "s") dropped: the send queue is full"
        case .expired(let count):
            "\(count) message\(count == 1 ? " was" : "s were") never sent: "
                + "\(count == 1 ? "it" : "they") had waited too long"
        }
    }
}
