public import Heybot
package import HeybotIRC
import HeybotSASL
package import HeybotSockets
import HeybotSupport
import NetworkAdapter

extension IRCAdapter {
    /// A network, and how the robot behaves there.
    ///
    /// Only the servers have to be set; everything else suits most networks.
    public struct Configuration: Sendable {
        // Where the network is.

        /// The network's servers; if one can't be reached, the next is tried.
        public var servers: [Server] = []
        /// The port of servers without one; nil for 6697, or 6667 without TLS.
        public var port: Int?
        /// Whether the connection is encrypted; nil for yes, unless a port other than 6697 is set, and no certificate.
        public var usesTLS: Bool?
        /// A PEM file with the certificate of the authority that signed the server's; nil for those the system knows.
        public var authorityFile: String?
        /// The SHA-256 of the server's certificate in hexadecimal digits, which then is all that is checked.
        public var fingerprint: String?
        /// Whether any certificate is taken, which anybody on the way may have: unsafe.
        public var takesAnyCertificate = false
        /// Likewise: what has expired proves nothing.
        public var takesExpiredCertificate = false

        // Who the robot is.

        /// The nick; nil for the robot's name.
        public var nick: String?
        /// Nicks to take while somebody else has that one; after them the nick with `_` behind it.
        public var alternateNicks: [String] = []
        /// The user name; nil for the nick.
        public var userName: String?
        /// The real name; nil for the robot's name.
        public var realName: String?
        /// The password that the server itself asks for; that of the account if ``usesSASL`` is true and
        /// ``accountPassword`` nil.
        public var password: String?
        /// The account; nil for the nick.
        public var accountName: String?
        /// The account's password, by SASL if the server has it, else told to NickServ.
        public var accountPassword: String?
        /// Whether to log in by SASL; nil for yes, if the server has it.
        public var usesSASL: Bool?
        /// Whether to leave, and try again later, if logging in fails.
        public var mustLogIn = false
        /// Whether the password may be sent as it is over a connection that isn't encrypted.
        public var sendsPlainPassword = false
        /// The service that knows accounts: its nick, `NickServ@services.example.net` or its hostmask; nil for NickServ on a
        /// server for services.
        public var nickServ: String?
        /// A PEM file with a certificate of the robot's own to log in with (SASL EXTERNAL, CertFP).
        public var certificateFile: String?
        /// A PEM file with its key; nil if that is in the certificate's file.
        public var keyFile: String?

        // What it does there.

        /// The channels to be in.
        public var channels: [Channel] = []
        /// A line to send as it is before joining channels.
        public var command: String?
        public var roomPolicy = RoomPolicy()
        /// Whether private messages are left unheard.
        public var ignoresPrivateMessages = false
        /// Whether other bots are left unheard, if the server marks them.
        public var ignoresBots = true
        /// People to leave unheard: nicks, or masks such as `*!*@*.example.org`.
        public var ignored: [String] = []
        /// Whether a nick alone proves who somebody is on a network that tells no accounts: unsafe.
        public var trustsNicks = false

        // How it speaks.

        /// Whether it speaks in notices, which other bots don't answer.
        public var speaksInNotices = false
        /// How many lines may be sent at once.
        public var burst = 5
        /// The time between two lines once that is used up; zero for no limit.
        public var lineInterval: Duration = .seconds(1)
        /// How many messages may wait to be sent.
        public var queueLimit = 1_000
        /// How many lines of an answer are said before somebody has to ask for more; 0 for all.
        public var page = 5
        /// How many commands one person may give.
        public var commandLimit = CommandLimit()
        /// The words of `QUIT`.
        public var farewell = "Bye"

        // How long it waits.

        public var connection = ConnectionPolicy()
        /// The time that the network has to look at the robot's password.
        public var loginWithin: Duration = .seconds(15)

        package var optionNames = OptionNames()

        /// Makes one for these servers, with TLS on port 6697 unless one of them has another port.
        public init(servers: [Server] = [], channels: [Channel] = []) {
            self.servers = servers
            self.channels = channels
        }
    }
}

extension IRCAdapter.Configuration {
    /// A server: `irc.libera.chat`, or `irc.libera.chat:6697`.
    public struct Server: Hashable, Sendable, LosslessStringConvertible, ExpressibleByStringLiteral {
        /// A name, or an IP address, without brackets.
        public var host: String
        /// Nil for ``IRCAdapter/Configuration/port``.
        public var port: Int?

        /// Makes one of its parts.
        public init(host: String, port: Int? = nil) { (self.host, self.port) = (host, port) }

        /// Reads a server; what isn't one counts as a host, which can't be reached.
        public init(stringLiteral text: String) { self = Self(text) ?? Self(host: text) }

        /// Reads `host`, `host:port`, `[address]:port` or an IPv6 address; nil if it is none of these.
        public init?(_ text: String) {
            var host = text[...]
            var port: Int?
            if host.first == "[", let end = host.firstIndex(of: "]") {
                let tail = host[host.index(after: end)...]
                guard tail.isEmpty || tail.first == ":" else { return nil }
                host = host[host.index(after: host.startIndex)..<end]
                guard let number = Self.port(tail) else { return nil }
                port = number
            } else if host.count(where: { $0 == ":" }) == 1, let colon = host.firstIndex(of: ":") {
                guard let number = Self.port(host[colon...]) else { return nil }
                port = number
                host = host[..<colon]
            }
            let isHost = !host.isEmpty && host.allSatisfy { $0.isLetter || $0.isNumber || ".-_:%".contains($0) }
            guard isHost else { return nil }
            self.init(host: String(host), port: port)
        }

        /// The number after a colon, `.some(nil)` if there is nothing.
        private static func port(_ text: Substring) -> Int?? {
            if text.isEmpty { return .some(nil) }
            guard let number = Int(text.dropFirst()), (1...65_535).contains(number) else { return nil }
            return .some(number)
        }

        public var description: String {
            let name = host.contains(":") ? "[\(host)]" : host
            return port.map { "\(name):\($0)" } ?? name
        }
    }

    /// A channel to be in.
    public struct Channel: Hashable, Sendable, ExpressibleByStringLiteral {
        public var name: String
        /// What lets the robot in if the channel asks for one (mode `+k`).
        public var key: String?

        /// Names a channel.
        public init(_ name: String, key: String? = nil) { (self.name, self.key) = (name, key) }

        public init(stringLiteral name: String) { self.init(name) }
    }
}

extension IRCAdapter.Configuration {
    /// The port of TLS on every network.
    package static let securePort = 6_697

    /// Whether the connection is encrypted.
    package var isSecure: Bool {
        let ports = servers.compactMap { $0.port ?? port }
        let hasCertificate = authorityFile != nil || fingerprint != nil || certificateFile != nil
        return usesTLS ?? (hasCertificate || ports.allSatisfy { $0 == Self.securePort })
    }

    /// Whether a server may take it for a nick (RFC 1459 2.3.1, and what today's servers allow beyond).
    package static func isNick(_ text: String) -> Bool {
        guard let first = text.first, !first.isNumber, first != "-" else { return false }
        return text.allSatisfy { !$0.isWhitespace && !"#&!@:,*?.$%+~".contains($0) && $0 != "\u{7f}" }
            && text.utf8.count <= 64
    }

    private var endpoints: [Endpoint] {
        let fallback = isSecure ? Self.securePort : 6_667
        return servers.map { Endpoint(host: $0.host, port: $0.port ?? port ?? fallback) }
    }

    /// How the connection is encrypted if it is.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the fingerprint is none.
    package func tls() throws(AdapterError) -> TLS {
        let trust: TLS.Trust
        if let text = fingerprint {
            guard let fingerprint = Fingerprint(text) else {
                throw AdapterError(.misconfigured, "\"\(text)\" isn't a fingerprint: that has 64 hexadecimal digits")
            }
            trust = .fingerprint(fingerprint)
        } else if takesAnyCertificate || takesExpiredCertificate {
            trust = .anyone
        } else {
            trust = authorityFile.map { .authorities(file: $0) } ?? .system
        }
        let identity = certificateFile.map { TLS.Identity(certificateFile: $0, keyFile: keyFile ?? $0) }
        return TLS(trust: trust, identity: identity)
    }

    /// What the adapter does with all that, by the usual name until it runs.
    func setup() throws(AdapterError) -> IRCAdapter.Setup {
        var setup = try setup(robotName: AdapterEnvironment.robotName)
        setup.unnamed = nick == nil ? self : nil
        return setup
    }

    /// What the adapter does with all that.
    ///
    /// - Parameter robotName: What it is called if nothing else is set.
    /// - Throws: ``Heybot/AdapterError`` if that can't be a nick, or the fingerprint is none.
    package func setup(robotName: String) throws(AdapterError) -> IRCAdapter.Setup {
        let name = nick ?? robotName
        guard Self.isNick(name) else {
            throw AdapterError(
                .misconfigured,
                "\"\(name)\" can't be a nick, which has no spaces and begins with a letter: set \(optionNames.nick)")
        }
        return setup(robotName: robotName, tls: isSecure ? try tls() : nil)
    }

    func setup(robotName: String, tls: TLS?) -> IRCAdapter.Setup {
        var setup = IRCAdapter.Setup(servers: endpoints, tls: tls, profile: profile(robotName: robotName))
        setup.optionNames = optionNames
        setup.trustsNicks = trustsNicks
        setup.page = page
        setup.commandLimit = commandLimit
        setup.connection = connection
        setup.farewell = farewell
        return setup
    }

    private func profile(robotName: String) -> Profile {
        let nick = nick ?? robotName
        var profile = Profile(nick: nick, user: userName, realName: realName ?? robotName)
        profile.alternates = alternateNicks
        // Hubot logs in by SASL with what is the server's password otherwise.
        let isServerPassword = usesSASL != true || accountPassword != nil
        profile.serverPassword = isServerPassword ? password : nil
        if let secret = accountPassword ?? (isServerPassword ? nil : password) {
            profile.account = Credentials(
                account: accountName ?? (isServerPassword ? nick : userName ?? nick), password: secret)
        }
        profile.hasCertificate = certificateFile != nil
        profile.usesSASL = usesSASL ?? true
        profile.sendsPlainPassword = isSecure || sendsPlainPassword || endpoints.allSatisfy(\.isOnThisMachine)
        if let nickServ {
            if nickServ.contains("@") { profile.nickServAddress = nickServ } else { profile.nickServ = nickServ }
        }
        profile.loginFailure = mustLogIn ? .leave : .goOn
        profile.channels = channels.map { Profile.Channel($0.name, key: $0.key) }
        profile.commands = command.map { [$0] } ?? []
        profile.rejoinsAfterKick = roomPolicy.rejoinsAfterKick
        profile.acceptsInvitations = !roomPolicy.ignoresInvitations
        profile.hearsPrivateMessages = !ignoresPrivateMessages
        profile.ignoresBots = ignoresBots
        profile.ignored = ignored.map { Mask($0) }
        profile.speaksInNotices = speaksInNotices
        profile.pace = Pace(burst: burst, interval: lineInterval)
        profile.queueLimit = queueLimit
        profile.version = "Heybot \(heybotVersion)"
        profile.waits.registration = max(connection.connectWithin, .seconds(1)) * 3 + loginWithin
        profile.waits.login = loginWithin
        profile.waits.silence = connection.silence
        profile.waits.answer = connection.answerWithin
        profile.waits.joinRetry = roomPolicy.joinRetry
        profile.waits.rejoin = roomPolicy.rejoinWait
        profile.waits.regain = roomPolicy.regain
        return profile
    }
}

// Passwords and keys are in neither.
extension IRCAdapter.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let names = [servers.map(\.description), channels.map(\.name)].map { $0.joined(separator: ", ") }
        return "\(nick.map { "\($0) on " } ?? "")\(names[0])\(names[1].isEmpty ? "" : ", in \(names[1])")"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["servers": servers, "nick": nick as Any, "channels": channels])
    }
}

// The key isn't shown.
extension IRCAdapter.Configuration.Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { name }

    public var debugDescription: String { name }

    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension IRCAdapter {
    /// What a ``Configuration`` comes to.
    package struct Setup: Sendable {
        package var servers: [Endpoint]
        /// Nil if the connection isn't encrypted.
        package var tls: TLS?
        package var profile: Profile
        package var trustsNicks = false
        /// How many lines of an answer are said at once; 0 for all.
        package var page = 5
        package var commandLimit: CommandLimit? = CommandLimit()
        package var connection = ConnectionPolicy()
        package var farewell = "Bye"
        package var optionNames = OptionNames()
        /// What names the robot by its own name, which isn't known before it runs; nil if that is known.
        var unnamed: Configuration?

        package init(servers: [Endpoint], tls: TLS? = TLS(), profile: Profile) {
            self.servers = servers
            self.tls = tls
            self.profile = profile
        }
    }
}
