import Foundation

/// A real Redis server, from Debian's `redis-server` and `redis-cli`.
///
/// It listens on the loopback interface and on a Unix socket. Tests use the user `default`, which must stay enabled.
///
/// The class has no mutable state of its own.
public final class RedisServer: RunningServer, @unchecked Sendable {
    /// The configuration of a server.
    public struct Options: Sendable {
        /// The password of the user `default`, also used for the master; nil for none.
        public var password: String?
        /// Further users, as in redis.conf without the word `user`: `marvin on >secret ~heybot:* &* +@all`.
        public var users: [String]
        /// Whether it also has a port with TLS; clients need no certificate.
        public var hasTLS: Bool
        /// Whether changes are on the disk before it replies; otherwise nothing survives a restart.
        public var isDurable: Bool
        /// The loopback port of its master; nil if it is a master itself.
        public var masterPort: Int?
        /// Further lines of redis.conf, which take precedence.
        public var settings: [String]

        /// Creates options; by default a master without a password, TLS and persistence.
        public init(
            password: String? = nil, users: [String] = [], hasTLS: Bool = false, isDurable: Bool = false,
            replicaOf masterPort: Int? = nil, settings: [String] = []
        ) {
            self.password = password
            self.users = users
            self.hasTLS = hasTLS
            self.isDurable = isDurable
            self.masterPort = masterPort
            self.settings = settings
        }
    }

    static let path = "/usr/bin/redis-server"

    /// Whether Debian's `redis-server` and `redis-cli` are installed.
    public static let isInstalled = mayUse(path, "/usr/bin/redis-cli")

    /// The path of its Unix socket, to which everybody may connect.
    public let socketPath: String

    let commandLine: RedisCLI

    /// Starts a server and waits until it has loaded its data and, as a replica, has synchronized.
    ///
    /// - Throws: ``TestServerError`` if it isn't installed or doesn't start.
    public static func start(_ options: Options = Options()) async throws -> RedisServer {
        guard isInstalled else { throw TestServerError.missing("redis-server") }
        return try await started {
            let folder = try ScratchFolder()
            let certificate: ServerCertificate = options.hasTLS ? .good : .none
            let issued = try await certificate.issued(in: folder, for: [])
            return try RedisServer(options, in: folder, issued?.0, issued?.1)
        }
    }

    private init(
        _ options: Options, in folder: ScratchFolder, _ authority: CertificateAuthority?,
        _ certificate: CertificateAuthority.Certificate?
    ) throws {
        let port = try Port.free()
        let tlsPort = try authority.map { _ in try Port.free() }
        // Short, because the path of a socket is limited to 107 bytes.
        socketPath = folder.path("sock")
        commandLine = RedisCLI(port: port, password: options.password, folder: folder)
        var lines = [
            "bind 127.0.0.1", "protected-mode no", "daemonize no", "port \(port)", "dir \(folder.path)",
            "unixsocket \(socketPath)", "unixsocketperm 777",
            // A master needn't wait for further replicas.
            "repl-diskless-sync no"
        ]
        if options.isDurable {
            lines += ["appendonly yes", "appendfsync always"]
        } else {
            lines += ["save \"\"", "appendonly no"]
        }
        if let tlsPort, let authority, let certificate {
            lines += [
                "tls-port \(tlsPort)", "tls-cert-file \(certificate.file)", "tls-key-file \(certificate.keyFile)",
                "tls-ca-cert-file \(authority.file)", "tls-auth-clients no"
            ]
        }
        if let password = options.password.map(RedisCLI.quoted) {
            // A master may become a replica.
            lines += ["requirepass \(password)", "masterauth \(password)"]
        }
        if let masterPort = options.masterPort { lines.append("replicaof 127.0.0.1 \(masterPort)") }
        lines += options.users.map { "user \($0)" } + options.settings
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "redis.conf")
        let program = Program(words: [Self.path, file], ports: [port] + (tlsPort.map { [$0] } ?? []))
        super.init(
            folder, [program], port: port, tlsPort: tlsPort, authority: authority,
            isReady: commandLine.waitForAnswers)
    }

    /// Runs a command with `redis-cli`, and returns its output: a bulk string as it is, an array as a line for each element,
    /// an empty text for nil.
    ///
    /// - Throws: ``TestServerError`` with the error reply, or if there is no reply within 20 seconds.
    @discardableResult
    public func command(_ words: String...) async throws -> String { try await commandLine.run(words) }
}
