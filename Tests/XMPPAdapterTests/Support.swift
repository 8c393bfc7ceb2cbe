import FoundationEssentials
import Heybot
import HeybotSockets
import HeybotSupport
import HeybotTesting
import HeybotXMPP
import Logging
import Metrics
import NetworkAdapter
import Synchronization
import TestServers
import Testing
import XMPPAdapter

/// What the robots of these tests can do.
struct TestScript: Script {
    static let long = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 1_000)

    let name = "Test"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/ping$/) { res in try await res.send("PONG") }
        robot.respond(/who am I$/) { res in
            try await res.send("\(res.message.user.id) \(res.message.user.name) \(res.message.user.account ?? "-")")
        }
        robot.respond(/wave$/) { res in try await res.emote("waves") }
        robot.respond(/topic (.*)/) { res in try await res.topic(res.match.1.description) }
        robot.respond(/long$/) { res in try await res.send(Self.long) }
        robot.respond(/secret$/) { res in try await res.sendPrivately("between you and me") }
        robot.respond(/say (.*)/) { res in try await res.send(res.match.1.description) }
        robot.hear(/hello/) { res in try await res.reply("hello") }
        robot.enter { res in try await res.send("welcome, \(res.message.user.name)") }
        robot.topic { res in try await res.send("so it is \(res.message.content)") }
    }
}

/// A robot on XMPP, for as long as a test has it.
final class Bot: Sendable {
    let adapter: XMPPAdapter
    let log = TestLog()
    private let robot: Robot
    private let running: Task<Void, any Error>

    init(
        _ configuration: XMPPAdapter.Setup, name: String = "marvin", adapterName: String = "xmpp",
        timeline: Timeline = Timeline(ContinuousClock(), date: { .now }), limits: Robot.Limits = Robot.Limits(),
        grace: Duration = .milliseconds(500),
        scripts: [any Script] = [TestScript()], brain: Brain = Brain(store: MemoryStore())
    ) {
        adapter = XMPPAdapter(
            configuration, name: adapterName, brain: brain,
            in: AdapterEnvironment(timeline, generator: SeededGenerator(seed: 1), logger: log.logger))
        var limits = limits
        limits.grace = grace
        // The machine may be busy.
        limits.slowMatch = .seconds(60)
        robot = Robot(
            name: name, alias: nil, adapters: [adapter], brain: brain, scripts: scripts,
            admins: [], switches: ScriptSwitches(), settings: [:], http: nil, server: nil, limits: limits,
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
        try await wait(within: limit, for: "\"\(text)\" in the log: \(log.lines())") {
            self.log.lines().contains { $0.contains(text) }
        }
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

extension XMPPAdapter.Setup {
    /// One for a server on loopback that waits for nothing long.
    static func test(
        _ port: Int, caFile: String? = nil, direct isDirectTLS: Bool = false, rooms: [String] = [],
        change: (inout Profile) -> Void = { _ in }
    ) throws -> Self {
        var profile = Profile(address: try JID("marvin@xmpp.test"), password: "pencil", nick: "marvin")
        profile.rooms = try rooms.map { Profile.Room(try JID($0)) }
        profile.usesTLS = caFile != nil
        profile.pace = Pace(burst: 20, interval: .milliseconds(10))
        profile.waits.rejoin = .milliseconds(20)
        profile.waits.joinRetry = .milliseconds(200)
        profile.waits.regain = .milliseconds(200)
        profile.waits.join = .seconds(30)
        change(&profile)
        var configuration = Self(profile: profile)
        configuration.server = Endpoint(host: "127.0.0.1", port: port)
        configuration.isDirectTLS = isDirectTLS
        if let caFile { configuration.trust = .authorities(file: caFile) }
        configuration.connection.reconnect = .init(
            first: .milliseconds(10), longest: .milliseconds(100), stable: .seconds(1))
        configuration.connection.refusedWait = .milliseconds(300)
        configuration.connection.connectWithin = .seconds(10)
        return configuration
    }
}
