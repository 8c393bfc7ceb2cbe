import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSASL
import HeybotSockets
import HeybotSupport
import HeybotTesting
import IRCAdapter
import Logging
import Metrics
import NetworkAdapter
import Synchronization
import TestServers
import Testing

/// What the robots of these tests can do.
struct TestScript: Script {
    static let long = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 30)

    let name = "Test"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/ping$/) { res in try await res.send("PONG") }
        robot.respond(/who am I$/) { res in
            try await res.send("\(res.message.user.id) \(res.message.user.name) \(res.message.user.account ?? "-")")
        }
        robot.respond(/when$/) { res in try await res.send("\(res.message.time.formatted(.iso8601)) \(res.message.id)")
        }
        robot.respond(/wave$/) { res in try await res.emote("waves") }
        robot.respond(/topic (.*)/) { res in try await res.topic(res.match.1.description) }
        robot.respond(/long$/) { res in try await res.send(Self.long) }
        robot.respond(/count (\d+)$/) { res in
            let count = Int(res.match.1) ?? 0
            try await res.send((1...count).map(String.init).joined(separator: "\n"))
        }
        robot.respond(/more$/) { res in
            if try await !res.showMore() { try await res.reply("There is no more.") }
        }
        robot.respond(/reboot$/, allow: .admins) { res in try await res.send("rebooting for \(res.message.user.id)") }
        robot.respond(/secret$/) { res in try await res.sendPrivately("between you and me") }
        robot.respond(/say (.*)/) { res in try await res.send(res.match.1.description) }
        robot.hear(/hello/) { res in try await res.reply("hello") }
        robot.enter { res in try await res.send("welcome, \(res.message.user.name)") }
    }
}

/// A robot on IRC, for as long as a test has it.
final class Bot: Sendable {
    let adapter: IRCAdapter
    let log = TestLog()
    let robot: Robot
    private let running: Task<Void, any Error>

    init(
        _ configuration: IRCAdapter.Setup, name: String = "marvin",
        timeline: Timeline = Timeline(ContinuousClock(), date: { .now }),
        limits: Robot.Limits = Robot.Limits(), grace: Duration = .milliseconds(500), admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), _ scripts: any Script...
    ) {
        adapter = IRCAdapter(
            configuration, brain: brain,
            in: AdapterEnvironment(timeline, generator: SeededGenerator(seed: 1), logger: log.logger))
        var limits = limits
        limits.grace = grace
        // The machine may be busy.
        limits.slowMatch = .seconds(60)
        robot = Robot(
            name: name, alias: nil, adapters: [adapter], brain: brain,
            scripts: scripts.isEmpty ? [TestScript()] : scripts,
            admins: admins, switches: ScriptSwitches(), settings: [:], http: nil, server: nil, limits: limits,
            logger: log.logger, metrics: MetricsSystem.factory, timeline: timeline,
            generator: SeededGenerator(seed: 1), giveUp: {})
        running = Task { [robot] in try await robot.run() }
    }

    /// What it logged that somebody should look at.
    var warnings: [String] { log.lines(from: .warning) }

    func stop() async throws {
        robot.stop()
        try await running.value
    }

    func isUp(within limit: Duration = .testLimit) async throws {
        try await wait(within: limit, for: "the robot to be up, which is \(adapter.status); log: \(log.lines())") {
            if case .up = self.adapter.status { true } else { false }
        }
    }

    func logs(_ text: String, within limit: Duration = .testLimit) async throws {
        try await wait(within: limit, for: "\"\(text)\" in the log") { self.log.lines().contains { $0.contains(text) } }
    }
}

/// Runs a robot while the body does.
func withBot<Result>(_ bot: Bot, _ body: (Bot) async throws -> Result) async throws -> Result {
    do {
        let result = try await body(bot)
        try await bot.stop()
        return result
    } catch {
        try? await bot.stop()
        throw error
    }
}

extension IRCAdapter.Setup {
    /// One for a server on loopback that waits for nothing long.
    static func test(_ port: Int, tls: TLS? = nil, _ channels: String..., change: (inout Profile) -> Void = { _ in })
        -> Self
    {
        var profile = Profile(nick: "marvin")
        profile.channels = channels.map { Profile.Channel($0) }
        profile.pace = Pace(burst: 5, interval: .milliseconds(50))
        profile.waits.rejoin = .milliseconds(20)
        profile.waits.joinRetry = .milliseconds(100)
        profile.waits.regain = .milliseconds(200)
        change(&profile)
        var configuration = Self(
            servers: [Endpoint(host: "127.0.0.1", port: port)], tls: tls, profile: profile)
        configuration.connection.reconnect = .init(
            first: .milliseconds(10), longest: .milliseconds(100), stable: .seconds(1))
        configuration.connection.refusedWait = .milliseconds(300)
        configuration.connection.connectWithin = .seconds(5)
        return configuration
    }
}
