public import Heybot
import HeybotSASL
package import HeybotSockets
import HeybotSupport
package import HeybotXMPP
import NetworkAdapter

extension XMPPAdapter {
    /// An account on an XMPP server, and how the robot behaves there.
    ///
    /// Only the account has to be set; everything else suits most servers.
    public struct Configuration: Sendable {
        // Who the robot is.

        /// The account's address, such as `marvin@example.org`, with a resource if need be.
        public var address: String?
        public var password: String?
        /// What the robot is called in rooms; nil for its name.
        public var nick: String?
        /// What its presence says of it; nil for nothing.
        public var status: String?

        // Where the server is.

        /// The server's name or IP address; nil to ask DNS.
        ///
        /// Its certificate must be for the address' domain all the same.
        public var host: String?
        /// The server's port; nil for 5222, or 5223 with ``isDirectTLS``.
        public var port: Int?
        /// Whether that server wants TLS from the first byte on.
        public var isDirectTLS = false
        /// Whether to do without TLS, for a server on the same machine; if not, a server without it is told nothing.
        public var usesNoTLS = false
        /// A PEM file with the certificate of the authority that signed the server's; nil for those the system knows.
        public var authorityFile: String?
        /// The SASL mechanism to try first: `SCRAM-SHA-256`, `SCRAM-SHA-1` or `PLAIN`; nil for the strongest.
        public var mechanism: String?

        // What it does there.

        /// The rooms to be in (XEP-0045).
        public var rooms: [Room] = []
        /// Who may befriend the robot, talk with it alone and invite it.
        public var contacts = Contacts.all
        public var roomPolicy = RoomPolicy()

        // How it speaks.

        /// How many messages may be sent at once.
        public var burst = 20
        /// The time between two messages once that is used up; zero for no limit.
        public var messageInterval: Duration = .milliseconds(100)
        /// How many messages may wait to be sent.
        public var queueLimit = 1_000
        /// The most bytes of a stanza, if the server doesn't say it (XEP-0478); at least 10,000.
        public var longestStanza = 65_536
        /// How many commands one person may give.
        public var commandLimit = CommandLimit()
        /// What it says when it leaves.
        public var farewell = "Bye"

        // How long it waits.

        public var connection = ConnectionPolicy()
        /// The time without a word from a room after which it is asked whether the robot is still in it (XEP-0410).
        public var roomSilence: Duration = .seconds(300)

        package var optionNames = OptionNames()

        /// Makes one for an account.
        public init(address: String? = nil, password: String? = nil, rooms: [Room] = []) {
            self.address = address
            self.password = password
            self.rooms = rooms
        }
    }
}

extension XMPPAdapter.Configuration {
    /// A room to be in.
    public struct Room: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Such as `dev@conference.example.org`.
        public var address: String
        /// What lets the robot in if the room asks for one.
        public var password: String?

        /// Names a room.
        public init(_ address: String, password: String? = nil) { (self.address, self.password) = (address, password) }

        public init(stringLiteral address: String) { self.init(address) }
    }

    /// Who may befriend the robot, talk with it alone and invite it.
    public enum Contacts: Hashable, Sendable {
        case all
        case none
        /// Those with these addresses or of these domains.
        case only([String])
    }
}

extension XMPPAdapter.Configuration {
    package var trust: TLS.Trust { authorityFile.map { .authorities(file: $0) } ?? .system }

    /// What the adapter does with all that, by the usual name until it runs.
    func setup() throws(AdapterError) -> XMPPAdapter.Setup {
        var setup = try setup(robotName: AdapterEnvironment.robotName)
        setup.unnamed = nick == nil ? self : nil
        return setup
    }

    /// What the adapter does with all that.
    ///
    /// - Parameter robotName: What it is called in rooms if nothing else is set.
    /// - Throws: ``Heybot/AdapterError`` if something is missing, or can't be used.
    package func setup(robotName: String) throws(AdapterError) -> XMPPAdapter.Setup {
        guard let address, let password else {
            throw AdapterError(
                .misconfigured, "no account is set: an address such as marvin@example.org, and its password")
        }
        if host == nil, port != nil || isDirectTLS {
            throw AdapterError(
                .misconfigured,
                "\(port == nil ? "TLS from the first byte on" : "a port") is set, but not the host: set it too")
        }
        var profile = Profile(address: try Self.jid(address), password: password, nick: nick ?? robotName)
        profile.status = status
        profile.version = heybotVersion
        profile.usesTLS = !usesNoTLS
        profile.mechanism = try knownMechanism()
        for room in rooms { profile.rooms.append(Profile.Room(try Self.jid(room.address), password: room.password)) }
        profile.contacts = try knownContacts()
        profile.rejoinsAfterKick = roomPolicy.rejoinsAfterKick
        profile.acceptsInvitations = !roomPolicy.ignoresInvitations
        profile.pace = Pace(burst: burst, interval: messageInterval)
        profile.queueLimit = queueLimit
        profile.longestStanza = longestStanza
        profile.waits.login = connection.connectWithin * 3
        profile.waits.silence = connection.silence
        profile.waits.answer = connection.answerWithin
        profile.waits.joinRetry = roomPolicy.joinRetry
        profile.waits.rejoin = roomPolicy.rejoinWait
        profile.waits.regain = roomPolicy.regain
        profile.waits.roomSilence = roomSilence
        var setup = XMPPAdapter.Setup(profile: profile)
        setup.optionNames = optionNames
        setup.server = host.map { Endpoint(host: $0, port: port ?? (isDirectTLS ? 5_223 : 5_222)) }
        setup.isDirectTLS = isDirectTLS
        setup.trust = trust
        setup.commandLimit = commandLimit
        setup.connection = connection
        setup.farewell = farewell
        return setup
    }

    private func knownMechanism() throws(AdapterError) -> Mechanism? {
        guard let mechanism else { return nil }
        if let known = Mechanism(rawValue: mechanism.uppercased()) { return known }
        throw AdapterError(
            .misconfigured, "there is no mechanism \(mechanism): use SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN")
    }

    private func knownContacts() throws(AdapterError) -> Profile.Contacts {
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
        do { return try JID(text) } catch { throw AdapterError(.misconfigured, "\(text) isn't an address: \(error)") }
    }
}

// The password isn't shown.
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

// The password isn't shown.
extension XMPPAdapter.Configuration.Room: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { address }

    public var debugDescription: String { address }

    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}

extension XMPPAdapter {
    /// What a ``Configuration`` comes to.
    package struct Setup: Sendable {
        package var profile: Profile
        /// Nil to ask DNS.
        package var server: Endpoint?
        package var isDirectTLS = false
        /// What makes the server believed; it is asked to be that of the address' domain.
        package var trust = TLS.Trust.system
        /// How DNS is asked.
        package var lookup = ServiceLookup()
        package var commandLimit: CommandLimit? = CommandLimit()
        package var connection = ConnectionPolicy()
        package var farewell = "Bye"
        package var optionNames = OptionNames()
        /// What names the robot by its own name, which isn't known before it runs; nil if that is known.
        var unnamed: Configuration?

        package init(profile: Profile) { self.profile = profile }

        /// How the connection is encrypted.
        func tls(isDirect: Bool) -> TLS {
            var tls = TLS(trust: trust, name: profile.address.domain)
            // So that a server may speak HTTP at the same port (XEP-0368).
            if isDirect { tls.protocols = ["xmpp-client"] }
            return tls
        }
    }
}
