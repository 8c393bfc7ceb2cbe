/// An event of a session that is logged.
package enum LogEntry: Hashable, Sendable, CustomStringConvertible {
    /// The session is ready: registered, and in these channels.
    case ready(as: String, in: [String])
    case loggedIn(account: String)
    /// No login method succeeded; the reasons, one for each method.
    case loginFailed([LoginFailureReason])
    case nickTaken(String, instead: String)
    /// The network rejects the nick itself.
    case nickRefused(String, reason: String)
    case nickRegained(String)
    /// Services don't let the robot have the nick, because it is registered and the robot isn't logged in to its account.
    case nickEnforced(String, instead: String, reason: String)
    /// Another robot with the same account keeps reclaiming the nick, so this one gives up.
    case nickYielded(String, instead: String)
    case joined(String)
    /// The robot is back in a channel that it was removed from, or that refused it.
    case rejoined(String)
    /// The robot was removed from a channel, but not kicked.
    case removed(String)
    /// A channel was renamed.
    case renamed(String, to: String)
    /// A channel refused the robot, which keeps trying.
    case joinRefused(channel: String, reason: String)
    case kicked(channel: String, by: String, reason: String, comesBack: Bool)
    case invited(to: String, by: String, goes: Bool)
    /// Someone invited another user (IRCv3 invite-notify).
    case invitation(of: String, to: String, by: String)
    /// The server rejected a message.
    case notDelivered(to: String, reason: String)
    /// The number of messages that were dropped because the queue was full.
    case dropped(Int)
    /// The number of messages that were dropped because the connection was down for too long.
    case expired(Int)
    /// The number of answers that were dropped because they waited in the queue for too long.
    case stale(Int)
    /// The number of private messages that were dropped because the user who asked has left, or another user has the nick now.
    case withheld(Int)
    /// The network doesn't show accounts, so these admins can't be verified.
    case accountsUnavailable([String])
    /// There is no sign that the network has accounts, so these admins may never be verified.
    case accountsUnlikely([String])
    /// The server demands encryption, on this port (IRCv3 strict transport security).
    case encryptionRequired(port: Int)
    /// The server reported an error.
    case server(String)
    /// The server reported something that isn't an error.
    case serverNote(String)

    /// Whether it is logged as a warning.
    package var isWarning: Bool {
        switch self {
        case .loginFailed, .nickTaken, .nickRefused, .nickEnforced, .nickYielded, .joinRefused, .kicked, .dropped,
            .expired, .stale,
            .accountsUnavailable, .accountsUnlikely, .server:
            true
        case .ready, .loggedIn, .nickRegained, .joined, .rejoined, .removed, .renamed, .invited, .invitation,
            .notDelivered,
            .withheld, .encryptionRequired, .serverNote:
            false
        }
    }

    package var description: String {
        switch self {
        case .ready(let nick, let channels):
            "connected as \(nick), " + (channels.isEmpty ? "in no channel" : "in \(channels.joined(separator: ", "))")
        case .loggedIn(let account): "logged in as \(account)"
        case .loginFailed(let reasons): "login failed: \(reasons.map(\.description).joined(separator: "; "))"
        case .nickTaken(let nick, let instead): "the nick \(nick) is taken; I'm \(instead) until it is free"
        case .nickRefused(let nick, let reason): "the network rejected the nick \(nick): \(reason); choose another"
        case .nickRegained(let nick): "I'm \(nick) again"
        case .nickEnforced(let nick, let instead, let reason):
            "the nick \(nick) is registered, and services won't release it\(reason.isEmpty ? "" : " (\(reason))"); "
                + "my nick is \(instead) until I'm logged in"
        case .nickYielded(let nick, let instead):
            "another robot with this account has reclaimed the nick \(nick) twice, so I keep the nick \(instead): "
                + "run only one robot, or give each robot its own nick"
        case .joined(let channel): "joined \(channel)"
        case .rejoined(let channel): "back in \(channel)"
        case .removed(let channel): "removed from \(channel); rejoining"
        case .renamed(let old, let new): "\(old) was renamed to \(new)"
        case .joinRefused(let channel, let reason): "can't join \(channel): \(reason); retrying"
        case .kicked(let channel, let by, let reason, let comesBack):
            "kicked from \(channel) by \(by)\(reason.isEmpty ? "" : ": \(reason)")"
                + (comesBack ? "; rejoining" : "; not rejoining")
        case .invited(let channel, let by, let goes):
            "\(by) invited me to \(channel)\(goes ? "" : "; I don't accept invitations")"
        case .invitation(let nick, let channel, let by): "\(by) invited \(nick) to \(channel)"
        case .notDelivered(let target, let reason): "\(target) didn't receive my message: \(reason)"
        case .dropped(let count): "\(count) message\(count == 1 ? "" : "s") dropped: the send queue is full"
        case .expired(let count):
            "\(count) message\(count == 1 ? " was" : "s were") never sent: the connection was down for too long"
        case .withheld(let count):
            "\(count) private answer\(count == 1 ? " wasn't" : "s weren't") sent: "
                + "the user who asked has left, or another user has the nick now"
        case .stale(let count):
            "\(count) answer\(count == 1 ? "" : "s") dropped after waiting for a minute: the send queue is too long"
        case .accountsUnavailable(let names):
            "the network doesn't show users' accounts, and a nick alone isn't proof, so \(names.joined(separator: ", ")) "
                + "can't be an admin"
        case .accountsUnlikely(let names):
            "this network seems to have no accounts: it offers no SASL, and no visible user is logged in; if it "
                + "has no services either, \(names.joined(separator: ", ")) can't be an admin"
        case .encryptionRequired(let port): "the server demands TLS (IRCv3 STS): connecting to port \(port) instead"
        case .server(let text): "the server reported an error: \(text)"
        case .serverNote(let text): "the server says: \(text)"
        }
    }
}
