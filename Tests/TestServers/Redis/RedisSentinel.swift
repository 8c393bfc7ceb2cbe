import Foundation

/// A Redis sentinel as it's used out there, by Debian's `redis-server`, which watches one master alone.
///
/// If the master is gone for half a second it makes a replica the master, by itself.
///
/// It has nothing of its own that changes.
public final class RedisSentinel: RunningServer, @unchecked Sendable {
    /// What the master is called.
    public let name: String

    private let commandLine: RedisCommandLine
    private let masterPassword: String?

    /// Starts a sentinel; it's ready when it knows the master and its replicas.
    ///
    /// - Parameters:
    ///   - master: what it watches first; its replicas run already.
    ///   - name: what it calls the master, without spaces.
    ///   - masterPassword: that of the master and all its replicas; nil for what the master was started with. It
    ///     has no quotes and spaces: the sentinel writes it in its configuration as it is, and can't read it then.
    ///   - password: its own; nil for none.
    ///   - replicas: how many replicas it has to know of.
    /// - Throws: ``ServersError`` if it isn't installed, doesn't start, or doesn't find them.
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
        let commandLine = RedisCommandLine(port: port, password: password, folder: folder)
        var lines = [
            "bind 127.0.0.1", "protected-mode no", "daemonize no", "port \(port)", "dir \(folder.path)",
            "sentinel monitor \(name) 127.0.0.1 \(masterPort) 1", "sentinel down-after-milliseconds \(name) 500",
            "sentinel failover-timeout \(name) 5000"
        ]
        if let password { lines.append("requirepass \(RedisCommandLine.quoted(password))") }
        if let masterPassword {
            lines.append("sentinel auth-pass \(name) \(RedisCommandLine.quoted(masterPassword))")
        }
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "sentinel.conf")
        // It keeps in it what it knows.
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        self.name = name
        self.commandLine = commandLine
        self.masterPassword = masterPassword
        super.init(
            folder, [Program(words: [RedisServer.path, file, "--sentinel"], ports: [port])], port: port, tlsPort: nil,
            authority: nil
        ) {
            try await commandLine.waitForAnswers()
            try await RedisCommandLine.wait(for: "\(replicas) replicas of \(name)") {
                let master = try await commandLine.run(["SENTINEL", "MASTER", name]).split(
                    separator: "\n", omittingEmptySubsequences: false)
                let index = master.firstIndex(of: "num-slaves").map { $0 + 1 } ?? master.endIndex
                return index < master.endIndex && (Int(master[index]) ?? 0) >= replicas
            }
        }
    }

    /// Runs a command by `redis-cli`, as ``RedisServer/command(_:)`` does.
    @discardableResult
    public func command(_ words: String...) async throws -> String { try await commandLine.run(words) }

    /// The loopback port of what it takes for the master now.
    public func masterPort() async throws -> Int {
        let address = try await command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        guard let port = address.split(separator: "\n").last.flatMap({ Int($0) }) else {
            throw ServersError.failed("the sentinel knows no address of \(name), but said: \(address)")
        }
        return port
    }

    /// Asks it to make a replica the master, and returns when that is one.
    ///
    /// What was the master goes on as one for some ten seconds: nobody tells it before.
    ///
    /// - Throws: ``ServersError`` if it takes longer than the limit, as it does if there is no replica.
    public func failOver(within limit: Duration = .testLimit) async throws {
        let before = try await masterPort()
        try await RedisCommandLine.wait(for: "a replica that can be the master", within: limit) {
            try await command("SENTINEL", "FAILOVER", name) == "OK"
        }
        try await RedisCommandLine.wait(for: "another master", within: limit) {
            let now = try await masterPort()
            guard now != before else { return false }
            let server = RedisCommandLine(port: now, password: masterPassword, folder: folder)
            return try await server.run(["ROLE"]).hasPrefix("master\n")
        }
    }
}
