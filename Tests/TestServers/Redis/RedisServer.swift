import Foundation

/// A Redis server as it's used out there, by Debian's `redis-server` and `redis-cli`.
///
/// It listens on the loopback interface and on a Unix socket. The tests speak to it as the user `default`, who has to
/// stay on.
///
/// It has nothing of its own that changes.
public final class RedisServer: RunningServer, @unchecked Sendable {
    /// What a server is to be like.
    public struct Options: Sendable {
        /// The password of the user `default`, which it also shows to its master; nil for none.
        public var password: String?
        /// More users, each as in redis.conf without the word `user`: `marvin on >secret ~heybot:* &* +@all`.
        public var users: [String]
        /// Whether it has a port with TLS too; clients need no certificate.
        public var hasTLS: Bool
        /// Whether what it was told is on the disk before it answers; else it keeps nothing over a restart.
        public var isDurable: Bool
        /// The loopback port of the master that it's a replica of; nil if it's a master itself.
        public var masterPort: Int?
        /// More lines of redis.conf, which win.
        public var settings: [String]

        /// A master without password and TLS that keeps nothing, if nothing else is said.
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

    /// Whether Debian's `redis-server` and `redis-cli` are installed here.
    public static let isInstalled = [path, "/usr/bin/redis-cli"].allSatisfy(
        FileManager.default.isExecutableFile(atPath:))

    /// The path of its Unix socket, which everybody may connect to.
    public let socketPath: String

    let commandLine: RedisCommandLine

    /// Starts a server; it's ready when it has loaded its data and, as a replica, has its master's.
    ///
    /// - Throws: ``ServersError`` if it isn't installed or doesn't start.
    public static func start(_ options: Options = Options()) async throws -> RedisServer {
        guard isInstalled else { throw ServersError.missing("redis-server") }
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
        // Short: a socket's path may have 107 bytes.
        socketPath = folder.path("sock")
        commandLine = RedisCommandLine(port: port, password: options.password, folder: folder)
        var lines = [
            "bind 127.0.0.1", "protected-mode no", "daemonize no", "port \(port)", "dir \(folder.path)",
            "unixsocket \(socketPath)", "unixsocketperm 777",
            // A replica needn't wait for others that might come.
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
        if let password = options.password.map(RedisCommandLine.quoted) {
            // Masters become replicas too.
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

    /// Runs a command by `redis-cli`, and returns what it printed: a bulk string as it is, an array as a line for each
    /// of its elements, nothing for nil.
    ///
    /// - Throws: ``ServersError`` with the reply if that is an error, and where there is none within 20 seconds.
    @discardableResult
    public func command(_ words: String...) async throws -> String { try await commandLine.run(words) }
}
