import Foundation
import Synchronization

/// An XMPP server as it's used out there.
///
/// It has TLS by STARTTLS and from the first byte, rooms that come with who joins first, a roster, carbons, stream
/// management, blocking, and answers to ping, time and version. It knows no other servers, and nobody registers.
public final class XMPPServer: RunningServer, @unchecked Sendable {
    /// Which program it is.
    public enum Software: String, Sendable, CaseIterable {
        /// Prosody, of the Debian package `prosody`.
        case prosody
        /// ejabberd, of the Debian package `ejabberd`.
        case ejabberd

        /// Those that are installed here.
        public static let installed = allCases.filter(\.isInstalled)

        /// Whether it's installed here.
        public var isInstalled: Bool {
            let path = self == .prosody ? "/usr/bin/prosody" : "/usr/sbin/ejabberdctl"
            return FileManager.default.isExecutableFile(atPath: path)
        }
    }

    /// What it's to be like.
    struct Configuration: Sendable {
        let domain: String
        let requiresTLS: Bool
        let mechanisms: [String]
        let allowsPlainWithoutTLS: Bool
        let history: Int
        let rate: String?
        let port: Int
        let tlsPort: Int?
        let componentPort: Int?
        let certificate: CertificateAuthority.Certificate?

        /// Those of the mechanisms that servers know that it doesn't offer; with a mechanism goes its `-PLUS`.
        var refusedMechanisms: [String] {
            ["PLAIN", "DIGEST-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512", "X-OAUTH2"].filter {
                !mechanisms.contains($0)
            }
            .flatMap { $0.hasPrefix("SCRAM") ? [$0, "\($0)-PLUS"] : [$0] }
        }
    }

    /// The domain of its accounts.
    public let domain: String
    /// Which program it is.
    public let software: Software

    /// Where a component connects; nil if none may.
    let componentPort: Int?

    private let accounts = Mutex<Set<String>>([])
    private static let turns = Turns()

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - software: which program.
    ///   - domain: the domain of its accounts.
    ///   - tls: its certificate, which is for its domain and its rooms' too.
    ///   - requiresTLS: whether nobody logs in without TLS.
    ///   - mechanisms: the SASL mechanisms it offers, with their `-PLUS` if there is TLS.
    ///   - allowsPlainWithoutTLS: whether it offers PLAIN if there is no TLS; ejabberd always does.
    ///   - history: how many lines of a room it repeats to those who join.
    ///   - rate: how much it takes of each client, such as `10kb/s`, for Prosody; nil for as much as comes.
    ///   - hasStrangers: whether ``strangers()`` may speak, for Prosody.
    /// - Throws: ``ServersError`` if it isn't installed or doesn't start.
    public static func start(
        _ software: Software, domain: String = "xmpp.test", tls: ServerCertificate = .good, requiresTLS: Bool = false,
        mechanisms: [String] = ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"], allowsPlainWithoutTLS: Bool = true,
        history: Int = 20, rate: String? = nil, hasStrangers: Bool = false
    ) async throws -> XMPPServer {
        guard software.isInstalled else { throw ServersError.missing(software.rawValue) }
        return try await started {
            let folder = try ScratchFolder()
            let issued = try await tls.issued(in: folder, for: [domain, "conference.\(domain)"])
            let configuration = Configuration(
                domain: domain, requiresTLS: requiresTLS, mechanisms: mechanisms,
                allowsPlainWithoutTLS: allowsPlainWithoutTLS, history: history, rate: rate, port: try Port.free(),
                tlsPort: try issued.map { _ in try Port.free() }, componentPort: hasStrangers ? try Port.free() : nil,
                certificate: issued?.1)
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

    /// Starts it once more after `stop(politely:)`, with the ports and accounts it had.
    ///
    /// One at a time: ejabberd keeps a processor busy for a second or two, and many of them at once, in tests that run
    /// beside each other, would take longer than any of them may.
    override public func start() async throws {
        guard software == .ejabberd else { return try await super.start() }
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        try await super.start()
    }

    /// The domain of its rooms.
    public var conference: String { "conference.\(domain)" }

    /// The address of a room.
    public func room(_ name: String) -> String { "\(name)@\(conference)" }

    /// Makes an account while it runs.
    ///
    /// - Throws: ``ServersError`` if it can't.
    public func register(account: String, password: String = "secret") async throws {
        switch software {
        case .prosody: try registerAtProsody(account, password)
        case .ejabberd: try await registerAtEjabberd(account, password)
        }
        accounts.withLock { _ = $0.insert(account) }
    }

    /// Somebody who has logged in, without TLS if that is possible, and is available.
    ///
    /// If the account wasn't made by ``register(account:password:)``, it's made.
    public func person(
        _ account: String, password: String = "secret", resource: String = "desk"
    ) async throws -> ChatClient {
        if !accounts.withLock({ $0.contains(account) }) { try await register(account: account, password: password) }
        let client = try ChatClient(port: port)
        try await client.logIn(account, password: password, domain: domain, resource: resource)
        client.send("<presence/>")
        return client
    }
}
