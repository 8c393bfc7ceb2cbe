import Foundation

/// A real Redis Sentinel, from Debian's `redis-server`, which watches a single master.
///
/// It promotes a replica on request, and if the master is unreachable after ``detectFailure()``: before, it would also take a
/// master for dead that a busy machine doesn't run.
///
/// The class has no mutable state of its own.
public final class RedisSentinel: RunningServer, @unchecked Sendable {
    /// The name of the master.
    public let name: String

    private let commandLine: RedisCLI
    private let masterPassword: String?

    /// Starts a Sentinel and waits until it knows the master and its replicas.
    ///
    /// - Parameters:
    ///   - master: The first master; its replicas are running already.
    ///   - name: The name of the master, without spaces.
    ///   - masterPassword: The password of the master and all its replicas; nil for the one that the master was started with.
    ///     It has no quotes and spaces, because the Sentinel writes it into its configuration without quoting it.
    ///   - password: The Sentinel's own password; nil for none.
    ///   - replicas: The number of replicas to wait for.
    /// - Throws: ``TestServerError`` if it isn't installed, doesn't start, or doesn't find them.
    public static func start(
        watching master: RedisServer, name: String = "mymaster", masterPassword: String? = nil,
        password: String? = nil, replicas: Int = 1
    ) async throws -> RedisSentinel {
        try await started {
            try RedisSentinel(
                watching: master.port, name, masterPassword ?? master.commandLine.password, password, replicas)
        }
    }

    private init(
        watching masterPort: Int, _ name: String, _ masterPassword: String?, _ password: String?, _ replicas: Int
    ) throws {
        let folder = try ScratchFolder()
        let port = try Port.free()
        let commandLine = RedisCLI(port: port, password: password, folder: folder)
        var lines = [
            "bind 127.0.0.1", "protected-mode no", "daemonize no", "port \(port)", "dir \(folder.path)",
            "sentinel monitor \(name) 127.0.0.1 \(masterPort) 1", "sentinel down-after-milliseconds \(name) 600000",
            "sentinel failover-timeout \(name) 5000"
        ]
        if let password { lines.append("requirepass \(RedisCLI.quoted(password))") }
        if let masterPassword {
            lines.append("sentinel auth-pass \(name) \(RedisCLI.quoted(masterPassword))")
        }
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "sentinel.conf")
        // The Sentinel writes its state into this file.
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        self.name = name
        self.commandLine = commandLine
        self.masterPassword = masterPassword
        super.init(
            folder, [Program(words: [RedisServer.path, file, "--sentinel"], ports: [port])], port: port, tlsPort: nil,
            authority: nil
        ) {
            try await commandLine.waitForAnswers()
            try await RedisCLI.wait(for: "\(replicas) replicas of \(name)") {
                let master = Self.fields(try await commandLine.run(["SENTINEL", "MASTER", name]))
                return (master["num-slaves"].flatMap { Int($0) } ?? 0) >= replicas
            }
        }
    }

    /// Runs a command with `redis-cli`, like ``RedisServer/command(_:)``.
    @discardableResult
    public func command(_ words: String...) async throws -> String { try await commandLine.run(words) }

    /// Returns the loopback port of the current master, as the Sentinel sees it.
    public func masterPort() async throws -> Int {
        let address = try await command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        guard let port = address.split(separator: "\n").last.flatMap({ Int($0) }) else {
            throw TestServerError.failed("the sentinel knows no address of \(name), but said: \(address)")
        }
        return port
    }

    /// Has it promote a replica if the master is unreachable for half a second.
    ///
    /// Call it before the master ends: it takes only a replica that hasn't been without a master for much longer than that.
    public func detectFailure() async throws {
        try await command("SENTINEL", "SET", name, "down-after-milliseconds", "500")
    }

    /// The master's fields, as the Sentinel sees them at one moment.
    private func masterState() async throws -> [String: String] {
        Self.fields(try await command("SENTINEL", "MASTER", name))
    }

    /// The fields of a reply whose lines are alternately names and values.
    private static func fields(_ reply: String) -> [String: String] {
        let lines = reply.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let pairs = stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Requests a failover, and waits for the new master.
    ///
    /// The old master stays a master for about ten seconds, until it is reconfigured.
    ///
    /// - Throws: ``TestServerError`` after the time limit, for example if there is no replica.
    public func failOver(within limit: Duration = .testLimit) async throws {
        let before = try await masterPort()
        try await RedisCLI.wait(for: "another master", within: limit) {
            let master = try await masterState()
            guard let now = master["port"].flatMap({ Int($0) }), now != before else {
                // Repeated: it is refused while no replica is good enough, and given up if the replica takes too long.
                // But not while a failover is running: if that one ended before the request, there would be another one.
                if master["flags"]?.contains("failover_in_progress") != true {
                    _ = try await command("SENTINEL", "FAILOVER", name)
                }
                return false
            }
            let server = RedisCLI(port: now, password: masterPassword, folder: folder)
            return try await server.run(["ROLE"]).hasPrefix("master\n")
        }
    }
}
