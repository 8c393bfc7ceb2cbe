/// Something about the connection that whoever runs the robot wants to know.
public enum Note: Hashable, Sendable, CustomStringConvertible {
    /// We are welcome, and were let into these channels.
    case settled(as: String, in: [String])
    case loggedIn(account: String)
    /// No way of logging in worked; the reasons.
    case loginFailed([String])
    case nickTaken(String, instead: String)
    /// The network doesn't allow the nick at all.
    case nickRefused(String, reason: String)
    case nickRegained(String)
    case joined(String)
    /// The server doesn't let us in, for its reason; we go on trying.
    case refused(channel: String, reason: String)
    case kicked(channel: String, by: String, reason: String, comesBack: Bool)
    case invited(to: String, by: String, goes: Bool)
    /// Somebody invited somebody else (IRCv3 invite-notify).
    case invitation(of: String, to: String, by: String)
    /// The server didn't take what we said there, for its reason.
    case unsaid(to: String, reason: String)
    /// So many messages found no room among those waiting to be said.
    case lost(Int)
    /// So many waited too long for a connection to be worth saying.
    case expired(Int)
    /// So many answers waited too long for their turn to be worth saying.
    case stale(Int)
    /// The network doesn't tell accounts, so that these admins can't be recognized by their nick.
    case unprovable([String])
    /// The server minds something that we sent.
    case server(String)

    /// Whether somebody should look after it.
    public var isWarning: Bool {
        switch self {
        case .loginFailed, .nickTaken, .nickRefused, .refused, .kicked, .lost, .expired, .stale,
            .unprovable, .server:
            true
        case .settled, .loggedIn, .nickRegained, .joined, .invited, .invitation, .unsaid: false
        }
    }

    public var description: String {
        switch self {
        case .settled(let nick, let channels):
            "connected as \(nick), " + (channels.isEmpty ? "in no channel" : "in \(channels.joined(separator: ", "))")
        case .loggedIn(let account): "logged in as \(account)"
        case .loginFailed(let reasons): "logging in failed: \(reasons.joined(separator: "; "))"
        case .nickTaken(let nick, let instead): "the nick \(nick) is taken; until it is free I am \(instead)"
        case .nickRefused(let nick, let reason): "the network won't have the nick \(nick): \(reason); choose another"
        case .nickRegained(let nick): "I am \(nick) again"
        case .joined(let channel): "joined \(channel)"
        case .refused(let channel, let reason): "\(channel) doesn't let me in: \(reason); I'll keep trying"
        case .kicked(let channel, let by, let reason, let comesBack):
            "kicked from \(channel) by \(by)\(reason.isEmpty ? "" : ": \(reason)")"
                + (comesBack ? "; I'll go back" : "; I stay out")
        case .invited(let channel, let by, let goes):
            "\(by) invites me to \(channel)\(goes ? "" : "; I don't follow invitations")"
        case .invitation(let nick, let channel, let by): "\(by) invites \(nick) to \(channel)"
        case .unsaid(let target, let reason): "\(target) didn't get what I said: \(reason)"
        case .lost(let count): "\(count) message\(count == 1 ? "" : "s") lost: too much was waiting to be said"
        case .expired(let count):
            "\(count) message\(count == 1 ? " was" : "s were") never said: the connection was away for too long"
        case .stale(let count):
            "\(count) answer\(count == 1 ? "" : "s") dropped after waiting for a minute: too much was waiting to be said"
        case .unprovable(let names):
            "the network doesn't tell people's accounts, and a nick proves nothing, so \(names.joined(separator: ", ")) "
                + "can't be an admin: name a hostmask in HEYBOT_AUTH_ADMIN, such as irc:ada!*@staff.example.org, or set "
                + "HEYBOT_IRC_TRUST_NICKS=true"
        case .server(let text): "the server says: \(text)"
        }
    }
}

/// Why a connection is over.
public enum Ending: Hashable, Sendable, CustomStringConvertible {
    /// We left.
    case quit
    /// The connection broke, or the server closed it, for its reason where it told one.
    case lost(String)
    /// Nothing came from the server any more.
    case silent
    /// The server didn't welcome us in time.
    case unwelcome
    /// Trying again soon would be of no use: we are banned, or our password is wrong.
    case refused(String)

    /// Whether trying again soon would be of no use.
    public var isLasting: Bool { if case .refused = self { true } else { false } }

    public var description: String {
        switch self {
        case .quit: "I left"
        case .lost(let reason): reason
        case .silent: "the server has gone silent"
        case .unwelcome: "the server didn't let me in in time"
        case .refused(let reason): reason
        }
    }
}
