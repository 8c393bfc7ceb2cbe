public import Heybot
package import HeybotIRC
import HeybotSASL
package import HeybotSockets
import HeybotSupport
import NetworkAdapter

extension IRCAdapter {
    /// An IRC network, and the robot's behavior there.
    ///
    /// Only the servers are required; the other defaults suit most networks.
    public struct Configuration: Sendable {
        // The network.

        /// The network's servers; if one can't be reached, the next one is tried.
        public var servers: [Server] = []
        /// The port of servers without one; nil for 6697, or 6667 without TLS.
        public var port: Int?
        /// Whether the connection is encrypted; nil for yes, unless a port other than 6697 and no certificate is set.
        public var usesTLS: Bool?
        /// A PEM file with the certificate of the authority that signed the server's; nil for the system's authorities.
        public var authorityFile: String?
        /// The SHA-256 of the server's certificate in hexadecimal digits; if this is set, only the fingerprint is verified.
        public var fingerprint: String?
        /// Whether any certificate is accepted, even an attacker's: unsafe.
        public var acceptsAnyCertificate = false
        /// As ``acceptsAnyCertificate``, since an expired certificate proves nothing.
        public var acceptsExpiredCertificate = false

        // The robot's identity.

        /// The nick; nil for the robot's name.
        public var nick: String?
        /// Nicks to use while another user has the nick; after them, the nick with `_` appended.
        public var alternateNicks: [String] = []
        /// The user name; nil for the nick.
        public var userName: String?
        /// The real name; nil for the robot's name.
        public var realName: String?
        /// The server's password; the account's if ``usesSASL`` is true and ``accountPassword`` is nil.
        public var password: String?
        /// The account; nil for the nick.
        public var accountName: String?
        /// The account's password, for SASL if the server offers it, or else for NickServ.
        public var accountPassword: String?
        /// Whether to log in by SASL; nil for yes, if the server offers it.
        public var usesSASL: Bool?
        /// The SASL mechanisms that may be used, by name; empty for all that the robot has.
        ///
        /// Names that the robot doesn't know are ignored.
        public var saslMechanisms: [String] = []
        /// A PEM file with a private key on the curve P-256, for login by a signature (SASL ECDSA-NIST256P-CHALLENGE).
        public var saslKeyFile: String?
        /// Whether to disconnect, and try again later, if login fails.
        public var mustLogIn = false
        /// Whether the password may be sent in plain text over an unencrypted connection.
        public var sendsPlainPassword = false
        /// The service that handles accounts: its nick, `NickServ@services.example.net` or its hostmask; nil for NickServ on a
        /// services server.
        public var nickServ: String?
        /// The nick of the service that makes the robot an operator when it moderates a channel, such as ChanServ; nil to
        /// ask none.
        public var chanServ: String?
        /// A PEM file with the robot's own certificate, for login (SASL EXTERNAL, CertFP).
        public var certificateFile: String?
        /// A PEM file with the certificate's key; nil if it is in the certificate's file.
        public var keyFile: String?

        // Behavior.

        /// The channels to join.
        public var channels: [Channel] = []
        /// A raw message to send before joining channels.
        public var command: String?
        /// When to rejoin rooms, and whether to accept invitations.
        public var roomRejoinPolicy = RoomRejoinPolicy()
        /// Whether private messages are ignored.
        public var ignoresPrivateMessages = false
        /// Whether other bots are ignored, if the server marks them.
        public var ignoresBots = true
        /// Users to ignore: nicks, or masks such as `*!*@*.example.org`.
        public var ignored: [String] = []
        /// How old a message to the robot may be that was sent while the robot was disconnected, to be answered after the
        /// reconnect, if the server keeps messages; zero for none.
        public var missedMessageAge: Duration = .seconds(600)
        /// Whether a nick alone identifies a user on a network that doesn't show accounts: unsafe.
        public var trustsNicks = false

        // Sending.

        /// Whether to send notices, which other bots don't answer.
        public var speaksInNotices = false
        /// How many lines can be sent at once.
        public var burst = 5
        /// The time between two lines after a burst; zero for no limit.
        public var lineInterval: Duration = .seconds(1)
        /// How many messages can be queued.
        public var queueLimit = 1_000
        /// How many lines of an answer are sent before the user has to ask for more; 0 for all.
        public var page = 5
        /// The limit of commands per user.
        public var commandLimit = UserCommandRateLimit()
        /// The message of `QUIT`.
        public var farewell = "Bye"

        // Timeouts.

        /// Timeouts of connections, and delays between them.
        public var connection = ConnectionTimings()
        /// The interval between attempts to regain the nick, if the server doesn't report when it becomes free.
        public var nickRetryInterval: Duration = .seconds(60)
        /// How long the network may take to check the robot's password.
        public var loginTimeout: Duration = .seconds(15)

        package var optionNames = OptionNamesInHints()
        /// The robot's alias, to recognize missed messages to the robot; nil for none.
        package var alias: String?

        /// Creates a configuration for these servers, with TLS on port 6697 unless one of them has another port.
        public init(servers: [Server] = [], channels: [Channel] = []) {
            self.servers = servers
            self.channels = channels
        }
    }
}

extension IRCAdapter.Configuration {
    /// A server: `irc.libera.chat`, or `irc.libera.chat:6697`.
    public struct Server: Hashable, Sendable, LosslessStringConvertible, ExpressibleByStringLiteral {
        /// A host name or an IP address, without brackets.
        public var host: String
        /// The port; nil for ``IRCAdapter/Configuration/port``.
        public var port: Int?

        /// Creates a server from its parts.
        public init(host: String, port: Int? = nil) { (self.host, self.port) = (host, port) }

        /// Parses a server; invalid text becomes a host name, which can't be reached.
        public init(stringLiteral text: String) { self = Self(text) ?? Self(host: text) }

        /// Parses `host`, `host:port`, `[address]:port` or an IPv6 address; nil if it is none of these.
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

        /// Parses the port after a colon; `.some(nil)` if there is none, nil if it is invalid.
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

    /// A channel to join.
    public struct Channel: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name, such as `#dev`.
        public var name: String
        /// The channel key (mode `+k`).
        public var key: String?

        /// Creates a channel to join.
        public init(_ name: String, key: String? = nil) { (self.name, self.key) = (name, key) }

        /// Creates a channel without a key.
        public init(stringLiteral name: String) { self.init(name) }
    }
}

extension IRCAdapter.Configuration {
    /// The standard port of IRC over TLS.
    package static let securePort = 6_697

    /// Whether the connection is encrypted.
    package var isSecure: Bool {
        let ports = servers.compactMap { $0.port ?? port }
        let hasCertificate = authorityFile != nil || fingerprint != nil || certificateFile != nil
        return usesTLS ?? (hasCertificate || ports.allSatisfy { $0 == Self.securePort })
    }

    /// Whether a server may accept the text as a nick (RFC 1459 2.3.1, and what today's servers allow beyond it).
    package static func isNick(_ text: String) -> Bool {
        guard let first = text.first, !first.isNumber, first != "-" else { return false }
        return text.allSatisfy { !$0.isWhitespace && !"#&!@:,*?.$%+~".contains($0) && $0 != "\u{7f}" }
            && text.utf8.count <= 64
    }

    private var endpoints: [Endpoint] {
        let fallback = isSecure ? Self.securePort : 6_667
        return servers.map { Endpoint(host: $0.host, port: $0.port ?? port ?? fallback) }
    }

    /// The TLS configuration, used if the connection is encrypted.
    ///
    /// - Parameter isVerified: Whether the certificate is verified even if the settings say otherwise.
    /// - Throws: ``Heybot/AdapterError`` if the fingerprint is invalid.
    package func tls(alwaysVerified isVerified: Bool = false) throws(AdapterError) -> TLSOptions {
        let trust: TLSOptions.Trust
        if let text = fingerprint {
            guard let fingerprint = Fingerprint(text) else {
                throw AdapterError(
                    .misconfigured, "\"\(text)\" isn't a fingerprint: a fingerprint has 64 hexadecimal digits")
            }
            trust = .fingerprint(fingerprint)
        } else if !isVerified, acceptsAnyCertificate || acceptsExpiredCertificate {
            trust = .anyone
        } else {
            trust = authorityFile.map { .authorities(file: $0) } ?? .system
        }
        let clientCertificate = certificateFile.map {
            TLSOptions.ClientCertificate(certificateFile: $0, keyFile: keyFile ?? $0)
        }
        return TLSOptions(trust: trust, clientCertificate: clientCertificate)
    }

    /// Resolves all defaults, with a preliminary name until the adapter runs.
    func resolved() throws(AdapterError) -> IRCAdapter.ResolvedConfiguration {
        var resolved = try resolved(robotName: AdapterDependencies.robotName)
        resolved.unresolved = nick == nil ? self : nil
        return resolved
    }

    /// Resolves all defaults.
    ///
    /// - Parameter robotName: The nick and real name if none is set.
    /// - Throws: ``Heybot/AdapterError`` if the name can't be a nick, or if the fingerprint or the key is invalid.
    package func resolved(robotName: String) throws(AdapterError) -> IRCAdapter.ResolvedConfiguration {
        let name = nick ?? robotName
        guard Self.isNick(name) else {
            throw AdapterError(
                .misconfigured,
                "\"\(name)\" isn't a valid nick: a nick has no spaces and doesn't begin with a digit; set \(optionNames.nick)"
            )
        }
        var resolved = resolved(robotName: robotName, tls: isSecure ? try tls() : nil)
        resolved.verifiedTLS = try tls(alwaysVerified: true)
        if let saslKeyFile {
            let account = resolved.session.account?.account ?? accountName ?? name
            resolved.session.signer = SigningCredentials(account: account, key: try Self.key(in: saslKeyFile))
        }
        return resolved
    }

    private static func key(in file: String) throws(AdapterError) -> SigningKey {
        do { return try SigningKey.read(file) } catch { throw AdapterError(.misconfigured, "\(error)") }
    }

    func resolved(robotName: String, tls: TLSOptions?) -> IRCAdapter.ResolvedConfiguration {
        var resolved = IRCAdapter.ResolvedConfiguration(
            servers: endpoints, tls: tls, session: sessionConfiguration(robotName: robotName))
        resolved.optionNames = optionNames
        resolved.alias = alias
        resolved.trustsNicks = trustsNicks
        resolved.page = page
        resolved.commandLimit = commandLimit
        resolved.connection = connection
        resolved.farewell = farewell
        return resolved
    }

    private func sessionConfiguration(robotName: String) -> SessionConfiguration {
        let nick = nick ?? robotName
        var session = SessionConfiguration(nick: nick, user: userName, realName: realName ?? robotName)
        session.alternates = alternateNicks
        // Hubot uses the server password for SASL if SASL is enabled.
        let isServerPassword = usesSASL != true || accountPassword != nil
        session.serverPassword = isServerPassword ? password : nil
        if let secret = accountPassword ?? (isServerPassword ? nil : password) {
            session.account = Credentials(
                account: accountName ?? (isServerPassword ? nick : userName ?? nick), password: secret)
        }
        session.hasCertificate = certificateFile != nil
        session.usesSASL = usesSASL ?? true
        if !saslMechanisms.isEmpty {
            session.mechanisms = Set(saslMechanisms.compactMap { Mechanism(rawValue: $0.uppercased()) })
        }
        session.sendsPlainPassword = isSecure || sendsPlainPassword || endpoints.allSatisfy(\.isOnThisMachine)
        if let nickServ {
            if nickServ.contains("@") { session.nickServAddress = nickServ } else { session.nickServ = nickServ }
        }
        session.chanServ = chanServ
        session.loginFailurePolicy = mustLogIn ? .disconnect : .continueWithoutAccount
        session.channels = channels.map { SessionConfiguration.Channel($0.name, key: $0.key) }
        session.commands = command.map { [$0] } ?? []
        session.rejoinsAfterKick = roomRejoinPolicy.rejoinsAfterKick
        session.acceptsInvitations = !roomRejoinPolicy.ignoresInvitations
        session.hearsPrivateMessages = !ignoresPrivateMessages
        session.ignoresBots = ignoresBots
        session.ignored = ignored.map { Mask($0) }
        session.missedMessageAge = missedMessageAge
        session.speaksInNotices = speaksInNotices
        session.rateLimit = RateLimit(burst: burst, interval: lineInterval)
        session.queueLimit = queueLimit
        session.version = "Heybot \(heybotVersion)"
        session.timeouts.registration = max(connection.connectTimeout, .seconds(1)) * 3 + loginTimeout
        session.timeouts.login = loginTimeout
        session.timeouts.pingInterval = connection.pingInterval
        session.timeouts.pingTimeout = connection.pingTimeout
        session.timeouts.joinRetryDelay = roomRejoinPolicy.joinRetryDelay
        session.timeouts.rejoinDelay = roomRejoinPolicy.rejoinDelay
        session.timeouts.nickRetryInterval = nickRetryInterval
        return session
    }
}

// Passwords and keys are in neither description nor mirror.
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

// The key is in neither description nor mirror.
extension IRCAdapter.Configuration.Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { name }

    public var debugDescription: String { name }

    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension IRCAdapter {
    /// A ``Configuration`` with all defaults resolved.
    package struct ResolvedConfiguration: Sendable {
        package var servers: [Endpoint]
        /// The TLS configuration; nil if the connection isn't encrypted.
        package var tls: TLSOptions?
        /// The TLS configuration if the server demands encryption: it always verifies the certificate.
        package var verifiedTLS = TLSOptions()
        package var session: SessionConfiguration
        package var trustsNicks = false
        /// How many lines of an answer are sent at once; 0 for all.
        package var page = 5
        package var commandLimit: UserCommandRateLimit? = UserCommandRateLimit()
        package var connection = ConnectionTimings()
        package var farewell = "Bye"
        package var optionNames = OptionNamesInHints()
        /// The robot's alias; nil for none.
        package var alias: String?
        /// The configuration to resolve again with the robot's name, which isn't known before the adapter runs; nil if it isn't
        /// needed.
        var unresolved: Configuration?

        package init(servers: [Endpoint], tls: TLSOptions? = TLSOptions(), session: SessionConfiguration) {
            self.servers = servers
            self.tls = tls
            self.session = session
        }
    }
}
