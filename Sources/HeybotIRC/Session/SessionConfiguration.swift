package import HeybotSASL
package import HeybotSupport

/// The robot's identity on a network, and its behavior there.
package struct SessionConfiguration: Hashable, Sendable {
    /// A channel to join.
    package struct Channel: Hashable, Sendable {
        package var name: String
        /// The channel key (mode `+k`).
        package var key: String?
        /// Why the robot is in the channel.
        package var origin: Origin

        /// Why the robot is in a channel.
        package enum Origin: Hashable, Sendable {
            case settings
            /// A user's command.
            case command
            /// An invitation; if the channel refuses the robot later, it doesn't try again.
            case invitation
        }

        /// Creates a channel to join.
        package init(_ name: String, key: String? = nil, origin: Origin = .settings) {
            self.name = name
            self.key = key
            self.origin = origin
        }
    }

    /// What to do if the network lets the robot in, but login to its account fails.
    package enum LoginFailurePolicy: Hashable, Sendable {
        /// Stay, without an account.
        case continueWithoutAccount
        /// Disconnect, and reconnect after a long delay.
        case disconnect
    }

    // Identity.
    package var nick: String
    /// Nicks to use while another user has the wanted one, in order; after them `nick_` and so on.
    package var alternates: [String] = []
    /// The user name in `USER`.
    package var user: String
    package var realName: String
    /// What users call the robot, besides its nick: its name and its alias.
    package var names: [String] = []
    /// The server's password (`PASS`).
    package var serverPassword: String?

    // Account.
    /// The services account.
    package var account: Credentials?
    /// The account and the key to log in with by a signature (SASL ECDSA-NIST256P-CHALLENGE).
    package var signer: SigningCredentials?
    /// Whether the connection uses a client certificate, so that SASL EXTERNAL may work.
    package var hasCertificate = false
    /// Whether to log in by SASL if the server offers it; otherwise only NickServ is used.
    package var usesSASL = true
    /// The SASL mechanisms that may be used.
    package var mechanisms = Set(Mechanism.allCases)
    package var loginFailurePolicy = LoginFailurePolicy.continueWithoutAccount
    /// The name of the account; nil if only a certificate may tell it.
    package var accountName: String? { account?.account ?? signer?.account }
    /// Whether the password may be sent in plain text (SASL PLAIN, NickServ): over an encrypted connection, or if the settings
    /// allow it.
    package var sendsPlainPassword = true
    /// The nick of the service that handles accounts if there is no SASL.
    package var nickServ = "NickServ"
    /// The verified address of that service: `NickServ@services.example.net`, or its hostmask `NickServ!*@services.example.net`;
    /// nil to require that it is on a services server.
    package var nickServAddress: String?
    /// The nick of the service that is asked to make the robot an operator when it needs that; nil to ask none.
    package var chanServ: String?

    // Behavior.
    package var channels: [Channel] = []
    /// Raw messages to send after registration, before channels are joined.
    package var commands: [String] = []
    package var rejoinsAfterKick = true
    /// Whether to reclaim the nick from its holder.
    package var reclaimsNick = true
    package var acceptsInvitations = true

    // Receiving.
    /// Whether private messages are received.
    package var hearsPrivateMessages = true
    /// Whether to ignore other bots, which the server marks with the tag `bot` (IRCv3 bot mode).
    package var ignoresBots = true
    /// Users to ignore.
    package var ignored: [Mask] = []

    /// How long ago a message may have been said while the robot was disconnected, to be heard after the reconnect; zero
    /// for none.
    package var missedMessageAge: Duration = .zero

    // Sending.
    /// Whether to send with `NOTICE`, which other bots don't answer.
    package var speaksInNotices = false
    package var rateLimit = RateLimit()
    /// The most lines that may be queued.
    package var queueLimit = 1_000
    /// The answer to CTCP VERSION.
    package var version = "Heybot"

    package var timeouts = Timeouts()

    /// Creates a configuration with defaults that suit most networks.
    package init(nick: String, user: String? = nil, realName: String? = nil) {
        self.nick = nick
        self.user = user ?? nick
        self.realName = realName ?? nick
    }
}

/// Timeouts and delays of a session.
package struct Timeouts: Hashable, Sendable {
    /// From the first message to the end of registration.
    package var registration: Duration = .seconds(60)
    /// For services to answer a login.
    package var login: Duration = .seconds(15)
    /// Without any message from the server, before a `PING` is sent.
    package var pingInterval: Duration = .seconds(60)
    /// For the answer to that.
    package var pingTimeout: Duration = .seconds(30)
    /// Before a channel that refused the robot is retried.
    package var joinRetryDelay: Duration = .seconds(60)
    /// Before a rejoin after a kick; doubles with each further kick.
    package var rejoinDelay: Duration = .seconds(2)
    /// Between two attempts to reclaim the nick, if the server doesn't report that it is free.
    package var nickRetryInterval: Duration = .seconds(60)

    /// Creates timeouts that suit most networks.
    package init() {}
}

extension SessionConfiguration {
    /// Formats a message for the log, without passwords and keys, wherever configured ones occur in it.
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
    /// The message for the log, without passwords and keys.
    package var redacted: String {
        switch command.uppercased() {
        case "PASS", "AUTHENTICATE", "OPER", "IDENTIFY", "NS", "NICKSERV": "\(command) (secret)"
        case "JOIN" where source == nil && parameters.count > 1: "JOIN \(parameters[0]) (secret)"
        case "PRIVMSG", "NOTICE", "SQUERY":
            // Services receive passwords, and may repeat them.
            if parameters.first?.lowercased().prefix(while: { $0 != "@" }).hasSuffix("serv") == true {
                "\(command) \(parameters[0]) (secret)"
            } else {
                description
            }
        default: description
        }
    }
}
