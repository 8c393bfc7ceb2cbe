import Foundation
import Synchronization

/// A real XMPP server.
///
/// It has STARTTLS and direct TLS, rooms that are created by their first occupant, a roster, carbons, stream management,
/// blocking, and answers to ping, time and version. It doesn't connect to other servers, and has no registration.
public final class XMPPServer: RunningServer, @unchecked Sendable {
    /// The server's program.
    public enum Software: String, Sendable, CaseIterable {
        /// Prosody, from the Debian package `prosody`.
        case prosody
        /// ejabberd, from the Debian package `ejabberd`.
        case ejabberd

        /// The installed programs.
        public static let installed = allCases.filter(\.isInstalled)

        /// Whether it is installed.
        public var isInstalled: Bool {
            mayUse(self == .prosody ? "/usr/bin/prosody" : "/usr/sbin/ejabberdctl")
        }
    }

    /// The configuration of a server.
    struct Configuration: Sendable {
        let domain: String
        let requiresTLS: Bool
        let mechanisms: [String]
        let allowsPlainWithoutTLS: Bool
        let history: Int
        let hasArchive: Bool
        let takesFiles: Bool
        let hasBookmarks: Bool
        let rate: String?
        let port: Int
        let tlsPort: Int?
        let componentPort: Int?
        let certificate: CertificateAuthority.Certificate?

        /// The known mechanisms that it doesn't offer; a mechanism includes its `-PLUS`.
        var refusedMechanisms: [String] {
            ["PLAIN", "DIGEST-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512", "X-OAUTH2"].filter {
                !mechanisms.contains($0)
            }
            .flatMap { $0.hasPrefix("SCRAM") ? [$0, "\($0)-PLUS"] : [$0] }
        }
    }

    /// The domain of its accounts.
    public let domain: String
    /// The server's program.
    public let software: Software

    /// The port for a component; nil if there is none.
    let componentPort: Int?

    private let accounts = Mutex<Set<String>>([])
    private static let startLock = AsyncLock()

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - software: The program.
    ///   - domain: The domain of its accounts.
    ///   - tls: The certificate, valid for the domain and its rooms.
    ///   - requiresTLS: Whether a login requires TLS.
    ///   - mechanisms: The offered SASL mechanisms, with their `-PLUS` if there is TLS.
    ///   - allowsPlainWithoutTLS: Whether it offers PLAIN without TLS; ejabberd always does.
    ///   - history: The number of messages that a room repeats to new occupants.
    ///   - hasArchive: Whether accounts and rooms have archives (XEP-0313).
    ///   - takesFiles: Whether it gives out slots for uploads at `https://upload.xmpp.test/share`, where nothing listens, for
    ///     Prosody.
    ///   - hasBookmarks: Whether accounts can store bookmarks (XEP-0402).
    ///   - rate: The rate limit of each client, such as `10kb/s`, for Prosody; nil for none.
    ///   - hasComponent: Whether ``component()`` can connect, for Prosody.
    /// - Throws: ``TestServerError`` if it isn't installed or doesn't start.
    public static func start(
        _ software: Software, domain: String = "xmpp.test", tls: ServerCertificate = .good, requiresTLS: Bool = false,
        mechanisms: [String] = ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"], allowsPlainWithoutTLS: Bool = true,
        history: Int = 20, hasArchive: Bool = false, takesFiles: Bool = false, hasBookmarks: Bool = false,
        rate: String? = nil, hasComponent: Bool = false
    ) async throws -> XMPPServer {
        guard software.isInstalled else { throw TestServerError.missing(software.rawValue) }
        return try await started {
            let folder = try ScratchFolder()
            let issued = try await tls.issued(in: folder, for: [domain, "conference.\(domain)"])
            let configuration = Configuration(
                domain: domain, requiresTLS: requiresTLS, mechanisms: mechanisms,
                allowsPlainWithoutTLS: allowsPlainWithoutTLS, history: history, hasArchive: hasArchive,
                takesFiles: takesFiles, hasBookmarks: hasBookmarks, rate: rate,
                port: try Port.free(), tlsPort: try issued.map { _ in try Port.free() },
                componentPort: hasComponent ? try Port.free() : nil, certificate: issued?.1)
            let words =
                switch software {
                case .prosody: try prosody(configuration, in: folder)
                case .ejabberd: try ejabberd(configuration, in: folder)
                }
            return XMPPServer(software, configuration, words, in: folder, issued?.0)
        }
    }

    private init(
        _ software: Software, _ configuration: Configuration, _ words: [String], in folder: ScratchFolder,
        _ authority: CertificateAuthority?
    ) {
        self.software = software
        domain = configuration.domain
        let (port, tlsPort) = (configuration.port, configuration.tlsPort)
        componentPort = configuration.componentPort
        let program = Program(words: words, ports: [port] + [tlsPort, componentPort].compactMap { $0 })
        super.init(folder, [program], port: port, tlsPort: tlsPort, authority: authority)
    }

    /// Restarts it after `stop(gracefully:)`, with the same ports and accounts.
    ///
    /// One at a time: ejabberd uses a processor for a second or two, and many at once, in parallel tests, would exceed the
    /// time limits.
    override public func start() async throws {
        guard software == .ejabberd else { return try await super.start() }
        await Self.startLock.lock()
        defer { Self.startLock.unlock() }
        try await super.start()
    }

    /// The domain of its rooms.
    public var conference: String { "conference.\(domain)" }

    /// Returns the address of a room.
    public func room(_ name: String) -> String { "\(name)@\(conference)" }

    /// Creates an account while the server runs.
    ///
    /// - Throws: ``TestServerError`` if that fails.
    public func register(account: String, password: String = "secret") async throws {
        switch software {
        case .prosody: try registerAtProsody(account, password)
        case .ejabberd: try await registerAtEjabberd(account, password)
        }
        accounts.withLock { _ = $0.insert(account) }
    }

    /// Returns a logged-in and available client, without TLS if that is possible.
    ///
    /// The account is created if ``register(account:password:)`` hasn't done so.
    public func person(
        _ account: String, password: String = "secret", resource: String = "desk"
    ) async throws -> XMPPTestClient {
        if !accounts.withLock({ $0.contains(account) }) { try await register(account: account, password: password) }
        let client = try XMPPTestClient(port: port)
        try await client.logIn(account, password: password, domain: domain, resource: resource)
        client.send("<presence/>")
        return client
    }
}
