/// Something about the connection that whoever runs the robot wants to know.
package enum Note: Hashable, Sendable, CustomStringConvertible {
    /// We are welcome, and were let into these channels.
    case settled(as: String, in: [String])
    case loggedIn(account: String)
    /// No way of logging in worked; the reasons.
    case loginFailed([LoginProblem])
    case nickTaken(String, instead: String)
    /// The network doesn't allow the nick at all.
    case nickRefused(String, reason: String)
    case nickRegained(String)
    /// The services don't leave us the nick, for their reason, since it is registered and we aren't logged in to its account.
    case nickEnforced(String, instead: String, reason: String)
    /// Another robot with our account keeps taking the nick back; we leave it to that one.
    case yields(String, instead: String)
    case joined(String)
    /// Back in a channel that we were made to leave, or that didn't let us in.
    case rejoined(String)
    /// We were made to leave a channel, by nobody's kick.
    case removed(String)
    /// A channel has another name now.
    case renamed(String, to: String)
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
    /// So many were for somebody alone whose nick is somebody else's now.
    case withheld(Int)
    /// The network doesn't tell accounts, so that these admins can't be recognized by their nick.
    case unprovable([String])
    /// Nothing shows that anybody has an account on the network, so that these admins may never be recognized.
    case doubtful([String])
    /// The server minds something that we sent.
    case server(String)

    /// Whether somebody should look after it.
    package var isWarning: Bool {
        switch self {
        case .loginFailed, .nickTaken, .nickRefused, .nickEnforced, .yields, .refused, .kicked, .lost, .expired, .stale,
            .unprovable, .doubtful, .server:
            true
        case .settled, .loggedIn, .nickRegained, .joined, .rejoined, .removed, .renamed, .invited, .invitation, .unsaid,
            .withheld:
            false
        }
    }

    package var description: String {
        switch self {
        case .settled(let nick, let channels):
            "connected as \(nick), " + (channels.isEmpty ? "in no channel" : "in \(channels.joined(separator: ", "))")
        case .loggedIn(let account): "logged in as \(account)"
        case .loginFailed(let reasons): "logging in failed: \(reasons.map(\.description).joined(separator: "; "))"
        case .nickTaken(let nick, let instead): "the nick \(nick) is taken; until it is free I am \(instead)"
        case .nickRefused(let nick, let reason): "the network won't have the nick \(nick): \(reason); choose another"
        case .nickRegained(let nick): "I am \(nick) again"
        case .nickEnforced(let nick, let instead, let reason):
            "the nick \(nick) is registered, and the network doesn't leave it to me\(reason.isEmpty ? "" : " (\(reason))"); "
                + "I stay \(instead) until I am logged in"
        case .yields(let nick, let instead):
            "another robot with this account has taken the nick \(nick) back twice; I stay \(instead) and leave it alone: "
                + "run only one, or give each its own nick"
        case .joined(let channel): "joined \(channel)"
        case .rejoined(let channel): "back in \(channel)"
        case .removed(let channel): "removed from \(channel); I'll go back"
        case .renamed(let old, let new): "\(old) is called \(new) now"
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
        case .withheld(let count):
            "\(count) private answer\(count == 1 ? " wasn't" : "s weren't") said: "
                + "the nick of whoever asked is somebody else's now"
        case .stale(let count):
            "\(count) answer\(count == 1 ? "" : "s") dropped after waiting for a minute: too much was waiting to be said"
        case .unprovable(let names):
            "the network doesn't tell people's accounts, and a nick proves nothing, so \(names.joined(separator: ", ")) "
                + "can't be an admin"
        case .doubtful(let names):
            "nobody seems to have an account on this network: it offers no SASL, and nobody in sight is logged in; unless it "
                + "has services, \(names.joined(separator: ", ")) can't be an admin"
        case .server(let text): "the server says: \(text)"
        }
    }
}

/// Why a connection is over.
package enum Ending: Hashable, Sendable, CustomStringConvertible {
    /// We left.
    case quit
    /// The connection broke, or the server closed it, for its reason if it told one.
    case lost(String)
    /// Nothing came from the server any more.
    case silent
    /// The server didn't welcome us in time.
    case unwelcome
    /// Somebody with our account had the services remove us, to have our nick.
    case displaced(String)
    /// Trying again soon would be of no use: we are banned, or our password is wrong.
    case refused(String)

    /// Whether trying again soon would be of no use.
    package var isLasting: Bool { if case .refused = self { true } else { false } }

    package var description: String {
        switch self {
        case .quit: "I left"
        case .lost(let reason): reason
        case .silent: "the server has gone silent"
        case .unwelcome: "the server didn't let me in in time"
        case .displaced(let reason), .refused(let reason): reason
        }
    }
}
