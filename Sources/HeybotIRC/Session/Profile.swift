public import HeybotSASL
public import HeybotSupport

/// Who we are on a network, and how we behave there.
public struct Profile: Hashable, Sendable {
    /// A channel to be in.
    public struct Channel: Hashable, Sendable {
        public var name: String
        /// What lets us in where it asks for one (mode `+k`).
        public var key: String?
        /// Who wants us there.
        public var origin: Origin

        /// Who wants us in a channel.
        public enum Origin: Hashable, Sendable {
            case settings
            /// Somebody who may tell us to.
            case command
            /// Whoever invited us; where we aren't wanted any more, we don't insist.
            case invitation
        }

        /// Names a channel.
        public init(_ name: String, key: String? = nil, origin: Origin = .settings) {
            self.name = name
            self.key = key
            self.origin = origin
        }
    }

    /// What is to happen where the network lets us in, but not into our account.
    public enum LoginFailure: Hashable, Sendable {
        /// We stay, as somebody without an account.
        case goOn
        /// We leave, and try again much later.
        case leave
    }

    // Who we are.
    public var nick: String
    /// Nicks to take while somebody else has ours, the first that is free; after them `nick_` and so on.
    public var alternates: [String] = []
    /// The user name of `USER`.
    public var user: String
    public var realName: String
    /// What the server itself asks for (`PASS`).
    public var serverPassword: String?

    // Our account.
    /// Who we are to the network's services.
    public var account: Credentials?
    /// Whether we show a client certificate, so that SASL EXTERNAL may work.
    public var hasCertificate = false
    /// Whether we log in by SASL where the server has it; if not, only by telling NickServ.
    public var usesSASL = true
    public var loginFailure = LoginFailure.goOn
    /// Whether the password may be sent as it is (SASL PLAIN, NickServ): over an encrypted connection, or if that is wanted.
    public var sendsPlainPassword = true
    /// The nick of the service that knows accounts where there is no SASL.
    public var nickServ = "NickServ"
    /// What is sure to reach that service, and nobody else who has its nick: `NickServ@services.example.net`, or its hostmask
    /// `NickServ!*@services.example.net`; nil if it must be on a server that is for services.
    public var nickServAddress: String?

    // What we do there.
    public var channels: [Channel] = []
    /// Lines to send as they are once we are in, before we join channels.
    public var commands: [String] = []
    public var rejoinsAfterKick = true
    /// Whether we get our nick back from whoever has it.
    public var reclaimsNick = true
    public var acceptsInvitations = true

    // Whom we hear.
    /// Whether what is said to us alone is heard.
    public var hearsPrivateMessages = true
    /// Whether other bots are left unheard: those the server marks with the tag `bot` (IRCv3 bot mode).
    public var ignoresBots = true
    /// Whom we don't hear.
    public var ignored: [Mask] = []

    // How we speak.
    /// Whether we say what we say with `NOTICE`, which other bots don't answer.
    public var speaksInNotices = false
    public var pace = Pace()
    /// How many lines may wait to be said.
    public var queueLimit = 1_000
    /// What we tell who asks for our `VERSION` by CTCP.
    public var version = "Heybot"

    public var waits = Waits()

    /// Makes a profile with this nick, and everything else as it suits most networks.
    public init(nick: String, user: String? = nil, realName: String? = nil) {
        self.nick = nick
        self.user = user ?? nick
        self.realName = realName ?? nick
    }
}

/// How long a connection waits for things.
public struct Waits: Hashable, Sendable {
    /// From the first line to being welcomed.
    public var registration: Duration = .seconds(60)
    /// For the services to answer a login.
    public var login: Duration = .seconds(15)
    /// Without hearing anything, before we ask whether anybody is there.
    public var silence: Duration = .seconds(60)
    /// For the answer to that.
    public var answer: Duration = .seconds(30)
    /// Before a channel that refused us is tried again.
    public var joinRetry: Duration = .seconds(60)
    /// Before we go back after a kick; twice as long after each further one.
    public var rejoin: Duration = .seconds(2)
    /// Between two attempts to get our nick back, where nothing tells us that it is free.
    public var regain: Duration = .seconds(60)

    /// Waits that suit most networks.
    public init() {}
}
