package import HeybotSASL
package import HeybotSupport

/// Who we are on a network, and how we behave there.
package struct Profile: Hashable, Sendable {
    /// A channel to be in.
    package struct Channel: Hashable, Sendable {
        package var name: String
        /// What lets us in if it asks for one (mode `+k`).
        package var key: String?
        /// Who wants us there.
        package var origin: Origin

        /// Who wants us in a channel.
        package enum Origin: Hashable, Sendable {
            case settings
            /// Somebody who may tell us to.
            case command
            /// Whoever invited us; if we aren't wanted any more, we don't insist.
            case invitation
        }

        /// Names a channel.
        package init(_ name: String, key: String? = nil, origin: Origin = .settings) {
            self.name = name
            self.key = key
            self.origin = origin
        }
    }

    /// What is to happen if the network lets us in, but not into our account.
    package enum LoginFailure: Hashable, Sendable {
        /// We stay, as somebody without an account.
        case goOn
        /// We leave, and try again much later.
        case leave
    }

    // Who we are.
    package var nick: String
    /// Nicks to take while somebody else has ours, the first that is free; after them `nick_` and so on.
    package var alternates: [String] = []
    /// The user name of `USER`.
    package var user: String
    package var realName: String
    /// What the server itself asks for (`PASS`).
    package var serverPassword: String?

    // Our account.
    /// Who we are to the network's services.
    package var account: Credentials?
    /// Whether we show a client certificate, so that SASL EXTERNAL may work.
    package var hasCertificate = false
    /// Whether we log in by SASL if the server has it; if not, only by telling NickServ.
    package var usesSASL = true
    package var loginFailure = LoginFailure.goOn
    /// Whether the password may be sent as it is (SASL PLAIN, NickServ): over an encrypted connection, or if that is wanted.
    package var sendsPlainPassword = true
    /// The nick of the service that knows accounts if there is no SASL.
    package var nickServ = "NickServ"
    /// What is sure to reach that service, and nobody else who has its nick: `NickServ@services.example.net`, or its hostmask
    /// `NickServ!*@services.example.net`; nil if it must be on a server that is for services.
    package var nickServAddress: String?

    // What we do there.
    package var channels: [Channel] = []
    /// Lines to send as they are once we are in, before we join channels.
    package var commands: [String] = []
    package var rejoinsAfterKick = true
    /// Whether we get our nick back from whoever has it.
    package var reclaimsNick = true
    package var acceptsInvitations = true

    // Whom we hear.
    /// Whether what is said to us alone is heard.
    package var hearsPrivateMessages = true
    /// Whether other bots are left unheard: those the server marks with the tag `bot` (IRCv3 bot mode).
    package var ignoresBots = true
    /// Whom we don't hear.
    package var ignored: [Mask] = []

    // How we speak.
    /// Whether we say what we say with `NOTICE`, which other bots don't answer.
    package var speaksInNotices = false
    package var pace = Pace()
    /// How many lines may wait to be said.
    package var queueLimit = 1_000
    /// What we tell who asks for our `VERSION` by CTCP.
    package var version = "Heybot"

    package var waits = Waits()

    /// Makes a profile with this nick, and everything else as it suits most networks.
    package init(nick: String, user: String? = nil, realName: String? = nil) {
        self.nick = nick
        self.user = user ?? nick
        self.realName = realName ?? nick
    }
}

/// How long a connection waits for things.
package struct Waits: Hashable, Sendable {
    /// From the first line to being welcomed.
    package var registration: Duration = .seconds(60)
    /// For the services to answer a login.
    package var login: Duration = .seconds(15)
    /// Without hearing anything, before we ask whether anybody is there.
    package var silence: Duration = .seconds(60)
    /// For the answer to that.
    package var answer: Duration = .seconds(30)
    /// Before a channel that refused us is tried again.
    package var joinRetry: Duration = .seconds(60)
    /// Before we go back after a kick; twice as long after each further one.
    package var rejoin: Duration = .seconds(2)
    /// Between two attempts to get our nick back, if nothing tells us that it is free.
    package var regain: Duration = .seconds(60)

    /// Waits that suit most networks.
    package init() {}
}

extension Profile {
    /// A line as it may be logged: without passwords and keys, those that are set wherever they stand in it.
    package func loggable(_ line: IRCMessage) -> String {
        let text = line.redacted
        return secrets.contains { text.contains($0) } ? "\(line.command) (secret)" : text
    }

    private var secrets: [String] {
        let own = [serverPassword, account?.password] + channels.map(\.key)
        let lines = commands.compactMap { IRCMessage($0) }.flatMap { $0.parameters.dropFirst() }
        return (own.compactMap { $0 } + lines).filter { !$0.isEmpty }
    }
}

extension IRCMessage {
    /// The line as it may be logged: without passwords and keys.
    package var redacted: String {
        switch command.uppercased() {
        case "PASS", "AUTHENTICATE", "OPER", "IDENTIFY", "NS", "NICKSERV": "\(command) (secret)"
        case "JOIN" where source == nil && parameters.count > 1: "JOIN \(parameters[0]) (secret)"
        case "PRIVMSG", "NOTICE", "SQUERY":
            // Services are told passwords, and may repeat them.
            if parameters.first?.lowercased().prefix(while: { $0 != "@" }).hasSuffix("serv") == true {
                "\(command) \(parameters[0]) (secret)"
            } else {
                description
            }
        default: description
        }
    }
}
