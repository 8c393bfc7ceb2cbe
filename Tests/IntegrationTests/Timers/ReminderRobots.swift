import Foundation
import Heybot
import HeybotTesting
import RedisStore
import SQLiteStore
import Synchronization
import TestServers
import Testing

/// The store of two robots.
enum SharedBrain: String, CaseIterable, Sendable {
    case sqlite, redis

    static var usable: [SharedBrain] { RedisServer.isInstalled ? allCases : [.sqlite] }
}

/// Two `heybot` processes on an IRC server that share a brain, and a person who uses them and notes what they say.
final class ReminderRobots: Sendable {
    /// A reminder that was delivered.
    struct Delivery: Sendable {
        let robot: String
        let text: String
        let time: ContinuousClock.Instant
    }

    /// A robot that was killed.
    struct Death: Sendable {
        let robot: String
        let time: ContinuousClock.Instant
    }

    static let names = ["marvin", "eddie"]
    private static let timers = "heybot.timers.reminders.due:irc"

    private let irc: IRCServer
    private let redis: RedisServer?
    private let folder: ScratchFolder
    private let store: any Store
    private let bob: RawIRCClient
    private let processes = Mutex<[String: ChildProcess]>([:])
    private let heard = Mutex<[Delivery]>([])
    private let killed = Mutex<[Death]>([])

    /// Starts both robots.
    init(_ kind: SharedBrain) async throws {
        let irc = try await IRCServer.ngircd(penalties: false)
        let (folder, bob) = (try ScratchFolder(), try RawIRCClient(port: irc.port))
        (self.irc, self.folder, self.bob) = (irc, folder, bob)
        switch kind {
        case .sqlite:
            redis = nil
            store = SQLiteStore(path: folder.path("data/brain.sqlite"))
        case .redis:
            let server = try await RedisServer.start()
            redis = server
            var configuration = RedisStore.Configuration(try RedisAddress("redis://127.0.0.1:\(server.port)"))
            (configuration.warnsOfDataLoss, configuration.callTimeout) = (false, .testLimit)
            store = RedisStore(configuration, logger: TestLog().logger)
        }
        bob.answer { [weak self] line in
            self?.note(line)
            return []
        }
        try await bob.register("bob")
        bob.send("JOIN #dev")
        try await bob.expect("366")
        for name in Self.names { try await start(name) }
        try await store.open()
    }

    /// Ends everything.
    func stop() async {
        for process in processes.withLock({ Array($0.values) }) { await process.stop() }
        await store.close()
        await redis?.stop()
    }

    // MARK: The processes

    /// Starts a robot, and returns when it is in the channel.
    func start(_ name: String) async throws {
        let before = bob.received.count
        let process = try ChildProcess(try words(for: name), isServer: false)
        processes.withLock { $0[name] = process }
        _ = try await bob.find("\(name) in #dev", since: before) { $0.hasPrefix(":\(name)!") && $0.contains(" JOIN ") }
    }

    /// Kills a robot, and returns when the others have noticed.
    func kill(_ name: String) async throws {
        guard let process = processes.withLock({ $0[name] }) else { return }
        let before = bob.received.count
        killed.withLock { $0.append(Death(robot: name, time: .now)) }
        process.send(SIGKILL)
        _ = await process.end(within: .testLimit)
        _ = try await bob.find("the end of \(name)", since: before) {
            $0.hasPrefix(":\(name)!") && $0.contains(" QUIT ")
        }
    }

    func isRunning(_ name: String) -> Bool { processes.withLock { $0[name]?.isRunning == true } }

    private func words(for name: String) throws -> [String] {
        let program = try #require(
            Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot").path)
        var environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA": folder.path("data"), "HEYBOT_SHARED_DATA": "true",
            "HEYBOT_IRC_SERVER": "127.0.0.1", "HEYBOT_IRC_PORT": "\(irc.port)", "HEYBOT_IRC_USESSL": "false",
            "HEYBOT_IRC_ROOMS": "#dev", "HEYBOT_IRC_UNFLOOD": "0", "HEYBOT_IRC_RATE_BURST": "0",
            "HEYBOT_TIME_ZONE": "UTC", "HEYBOT_LOG_LEVEL": "error",
            "HEYBOT_IRC_PING_TIMEOUT": "600"
        ]
        if let redis {
            environment["HEYBOT_DATA"] = folder.path("data-\(name)")
            environment["HEYBOT_REDIS_URL"] = "redis://127.0.0.1:\(redis.port)"
            environment["HEYBOT_REDIS_TIMEOUT"] = "600"
        }
        return ["env", "-i"] + environment.map { "\($0)=\($1)" } + [program, "-a", "irc", "-n", name, "-d"]
    }

    // MARK: Reminders

    /// What was delivered so far, in order.
    var deliveries: [Delivery] { heard.withLock { $0 } }

    /// The robots that were killed so far, in order.
    var deaths: [Death] { killed.withLock { $0 } }

    /// Asks a robot for a reminder in the channel.
    ///
    /// - Returns: The number of the reminder; nil if the robot was killed before it answered.
    func ask(_ name: String, for text: String, inSeconds seconds: Int) async throws -> Int? {
        let before = bob.received.count
        bob.send("PRIVMSG #dev :\(name): remind us in \(seconds) seconds that \(text)")
        let isAnswer = { (line: String) in line.hasPrefix(":\(name)!") && line.contains(" PRIVMSG #dev :bob: ") }
        try await wait(for: "\(name)'s answer") {
            bob.received.dropFirst(before).contains(where: isAnswer) || !isRunning(name)
        }
        guard let answer = bob.received.dropFirst(before).first(where: isAnswer) else { return nil }
        let number = answer.firstMatch(of: /:bob: OK, .*\(Reminder ([0-9]+)\)$/).flatMap { Int($0.output.1) }
        let found: Int = try #require(number, "\(answer)")
        return found
    }

    /// Waits until a reminder isn't in the brain any more, and returns when that was noticed.
    func waitForRecord(ofReminder number: Int) async throws -> ContinuousClock.Instant {
        let key = StoreKey(collection: Self.timers, name: "\(number)")
        let end = ContinuousClock.now + .testLimit
        while try await store.value(for: key) != nil {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("reminder \(number)", got: []) }
            try await Task.sleep(for: .microseconds(200))
        }
        return .now
    }

    /// Waits until so few reminders are left that bob may ask for more: he may have 50.
    func waitForRoom() async throws {
        let end = ContinuousClock.now + .testLimit
        while try await store.firstDue(in: Self.timers, limit: 40).count == 40 {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("room for reminders", got: []) }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Whether the brain has no reminder that hasn't been delivered.
    func hasDeliveredAll() async throws -> Bool { try await store.firstDue(in: Self.timers, limit: 1).isEmpty }

    private func note(_ line: String) {
        let pattern = /:(?<robot>[a-z]+)!\S+ PRIVMSG #dev :Reminder from bob: (?<text>q[a-z]+)(?: .*)?/
        guard let match = line.wholeMatch(of: pattern) else { return }
        let delivery = Delivery(robot: String(match.robot), text: String(match.text), time: .now)
        heard.withLock { $0.append(delivery) }
    }
}
