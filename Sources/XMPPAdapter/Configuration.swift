import FoundationEssentials
public import Heybot
import HeybotSASL
package import HeybotSockets
import HeybotSupport
package import HeybotXMPP
import NetworkAdapter

extension XMPPAdapter {
    /// An account on an XMPP server, and the robot's behavior there.
    ///
    /// Only the account is required; the defaults of everything else suit most servers.
    public struct Configuration: Sendable {
        // Account

        /// The account's address, such as `marvin@example.org`, optionally with a resource.
        public var address: String?
        /// The account's password.
        public var password: String?
        /// The robot's nick in rooms; nil for the robot's name.
        public var nick: String?
        /// The status text of the robot's presence; nil for none.
        public var status: String?

        // Server

        /// The server's host name or IP address; nil to look it up in DNS.
        ///
        /// The certificate has to be valid for the domain of the account either way.
        public var host: String?
        /// The server's port; nil for 5222, or 5223 with ``isDirectTLS``.
        public var port: Int?
        /// Whether the server expects TLS from the start of the connection (direct TLS).
        public var isDirectTLS = false
        /// Whether to use no TLS, for a server on the same machine.
        ///
        /// If not, the robot doesn't log in without TLS.
        public var usesNoTLS = false
        /// A PEM file with the certificate of the authority that signed the server's; nil for the system's authorities.
        public var authorityFile: String?
        /// The SASL mechanism to try first: `SCRAM-SHA-256`, `SCRAM-SHA-1` or `PLAIN`; nil for the strongest.
        public var mechanism: String?

        // Behavior

        /// The rooms to join (XEP-0045).
        public var rooms: [Room] = []
        /// The people who may add the robot as a contact, send it direct messages, and invite it.
        public var contacts = AllowedContacts.all
        /// How old the messages may be that the robot answers although it was away when they were sent; zero for at most a
        /// minute.
        public var missedMessageAge: Duration = .seconds(600)
        /// Whether a stopped robot stays in its rooms until the server ends its session, so that nobody sees a restart.
        public var staysDuringRestart = true
        /// Whether the robot stores the rooms that it joins by invitation or on request as bookmarks of its account, and joins
        /// the rooms in the bookmarks when it is started; for an account that only the robot uses.
        public var usesBookmarks = false
        /// How the robot handles kicks, failed joins and invitations.
        public var roomRejoinPolicy = RoomRejoinPolicy()

        // Sending

        /// Whether others see that the robot is writing (XEP-0085), and that it has received and read their direct messages
        /// (XEP-0184 and XEP-0333), if their clients ask for that.
        public var showsActivity = true
        /// The number of messages that may be sent at once.
        public var burst = 20
        /// The minimum time between two messages once the burst is used up; zero for no limit.
        public var messageInterval: Duration = .milliseconds(100)
        /// The maximum number of queued messages.
        public var queueLimit = 1_000
        /// The maximum size of a stanza in bytes if the server doesn't announce one (XEP-0478); at least 10,000.
        public var longestStanza = 65_536
        /// The rate limit for one person's commands; nil for none.
        public var commandLimit = UserCommandRateLimit()
        /// The status text with which the robot leaves.
        public var farewell = "Bye"

        // Timeouts

        /// The timeouts and delays of the connection.
        public var connection = ConnectionTimings()
        /// The interval between attempts to regain the nick in a room.
        public var nickRetryInterval: Duration = .seconds(60)
        /// How long a room may be silent before the robot checks whether it is still an occupant (XEP-0410).
        public var roomPingInterval: Duration = .seconds(300)

        package var optionNames = OptionNamesInHints()

        /// Creates a configuration for an account.
        public init(address: String? = nil, password: String? = nil, rooms: [Room] = []) {
            self.address = address
            self.password = password
            self.rooms = rooms
        }
    }
}

extension XMPPAdapter.Configuration {
    /// A room to join.
    public struct Room: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The room's address, such as `dev@conference.example.org`.
        public var address: String
        /// The password of a protected room.
        public var password: String?

        /// Creates a room.
        public init(_ address: String, password: String? = nil) { (self.address, self.password) = (address, password) }

        public init(stringLiteral address: String) { self.init(address) }
    }

    /// The people who may add the robot as a contact, send it direct messages, and invite it.
    public enum AllowedContacts: Hashable, Sendable {
        case all
        case none
        /// The people with these addresses or of these domains.
        case only([String])
    }
}

extension XMPPAdapter.Configuration {
    package var trust: TLSOptions.Trust { authorityFile.map { .authorities(file: $0) } ?? .system }

    /// Returns the validated configuration, with the default name of a robot until the adapter runs.
    func resolved() throws(AdapterError) -> XMPPAdapter.ResolvedConfiguration {
        var resolved = try resolved(robotName: AdapterDependencies.robotName)
        resolved.unresolved = nick == nil ? self : nil
        return resolved
    }

    /// Returns the validated configuration.
    ///
    /// - Parameter robotName: The nick in rooms, unless one is set.
    /// - Throws: ``Heybot/AdapterError`` if something is missing or invalid.
    package func resolved(robotName: String) throws(AdapterError) -> XMPPAdapter.ResolvedConfiguration {
        guard let address, let password else {
            throw AdapterError(
                .misconfigured, "no account is set: set an address such as marvin@example.org, and its password")
        }
        if host == nil, port != nil || isDirectTLS {
            throw AdapterError(
                .misconfigured,
                "\(port == nil ? "direct TLS" : "a port") is set, but no host: set the host too")
        }
        var session = SessionConfiguration(address: try Self.jid(address), password: password, nick: nick ?? robotName)
        session.resource = Self.resource(of: session.address)
        session.installation = Self.installation(of: session.address)
        session.status = status
        session.version = heybotVersion
        session.usesTLS = !usesNoTLS
        session.mechanism = try knownMechanism()
        for room in rooms {
            session.rooms.append(SessionConfiguration.Room(try Self.jid(room.address), password: room.password))
        }
        session.contacts = try knownContacts()
        session.rejoinsAfterKick = roomRejoinPolicy.rejoinsAfterKick
        session.missedMessageAge = missedMessageAge
        session.isKeptAtStop = staysDuringRestart
        session.usesBookmarks = usesBookmarks
        session.commands = AdHocCommand.standard
        session.acceptsInvitations = !roomRejoinPolicy.ignoresInvitations
        session.showsActivity = showsActivity
        session.rateLimit = RateLimit(burst: burst, interval: messageInterval)
        session.queueLimit = queueLimit
        session.longestStanza = longestStanza
        session.timeouts.login = connection.connectTimeout * 3
        session.timeouts.pingInterval = connection.pingInterval
        session.timeouts.response = connection.pingTimeout
        session.timeouts.joinRetryDelay = roomRejoinPolicy.joinRetryDelay
        session.timeouts.rejoinDelay = roomRejoinPolicy.rejoinDelay
        session.timeouts.nickRetryInterval = nickRetryInterval
        session.timeouts.roomPingInterval = roomPingInterval
        var resolved = XMPPAdapter.ResolvedConfiguration(session: session)
        resolved.optionNames = optionNames
        resolved.server = host.map { Endpoint(host: $0, port: port ?? (isDirectTLS ? 5_223 : 5_222)) }
        resolved.isDirectTLS = isDirectTLS
        resolved.trust = trust
        resolved.commandLimit = commandLimit
        resolved.connection = connection
        resolved.farewell = farewell
        return resolved
    }

    /// Returns the resource that a robot requests first: the same after a restart in the same folder.
    ///
    /// It doesn't show the folder, but a person who knows the folder can find out the resource.
    private static func resource(of account: JID) -> String {
        let text = "\(account.bare) \(FileManager.default.currentDirectoryPath)"
        let digits = CryptographicHash.sha256.hash(text.utf8).prefix(6).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        return "heybot-\(digits.joined())"
    }

    /// Returns the id of a robot's installation, a UUID: the same after a restart in the same folder.
    private static func installation(of account: JID) -> String {
        let text = "installation \(account.bare) \(FileManager.default.currentDirectoryPath)"
        var bytes = Array(CryptographicHash.sha256.hash(text.utf8).prefix(16))
        // As a UUID of random bytes (RFC 9562 section 5.4).
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    private func knownMechanism() throws(AdapterError) -> Mechanism? {
        guard let mechanism else { return nil }
        if let known = Mechanism(rawValue: mechanism.uppercased()) { return known }
        throw AdapterError(
            .misconfigured, "unknown SASL mechanism \(mechanism): use SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN")
    }

    private func knownContacts() throws(AdapterError) -> SessionConfiguration.AllowedContacts {
        switch contacts {
        case .all: return .all
        case .none: return .none
        case .only(let addresses):
            var known: Set<JID> = []
            for address in addresses { known.insert(try Self.jid(address).bare) }
            return .only(known)
        }
    }

    private static func jid(_ text: String) throws(AdapterError) -> JID {
        do { return try JID(text) } catch { throw AdapterError(.misconfigured, "\(error)") }
    }
}

// The password isn't printed.
extension XMPPAdapter.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let rooms = rooms.map(\.address).joined(separator: ", ")
        return "\(address ?? "no account")\(rooms.isEmpty ? "" : ", in \(rooms)")"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["address": address as Any, "host": host as Any, "rooms": rooms])
    }
}

// The password isn't printed.
extension XMPPAdapter.Configuration.Room: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { address }

    public var debugDescription: String { address }

    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}

extension XMPPAdapter {
    /// A validated ``Configuration``, in the types that the adapter needs.
    package struct ResolvedConfiguration: Sendable {
        package var session: SessionConfiguration
        /// Nil to look it up in DNS.
        package var server: Endpoint?
        package var isDirectTLS = false
        /// How the server's certificate is verified; it has to be valid for the domain of the account.
        package var trust = TLSOptions.Trust.system
        /// The resolver for the server's DNS records.
        package var lookup = SRVResolver()
        package var commandLimit: UserCommandRateLimit? = UserCommandRateLimit()
        package var connection = ConnectionTimings()
        package var farewell = "Bye"
        package var optionNames = OptionNamesInHints()
        /// The original configuration, if the nick depends on the robot's name, which isn't known before the adapter runs.
        var unresolved: Configuration?

        package init(session: SessionConfiguration) { self.session = session }

        /// Returns the TLS settings of a connection.
        func tls(isDirect: Bool) -> TLSOptions {
            var tls = TLSOptions(trust: trust, name: session.address.domain)
            // So that a server can offer HTTPS on the same port (XEP-0368).
            if isDirect { tls.protocols = ["xmpp-client"] }
            return tls
        }
    }
}
