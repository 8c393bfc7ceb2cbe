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
enum TestScript {
    static let long = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 30)

    static let script = NetworkScript(long: long) { robot in
        robot.respond(/when$/) { res in
            try await res.send("\(res.message.time.formatted(.iso8601)) \(res.message.id)")
        }
        robot.respond(/count (\d+)$/) { res in
            let count = Int(res.match.1) ?? 0
            try await res.send((1...count).map(String.init).joined(separator: "\n"))
        }
        robot.respond(/more$/) { res in
            if try await !res.showMore() { try await res.reply("There is no more.") }
        }
        robot.respond(/reboot$/, allow: .admins) { res in try await res.send("rebooting for \(res.message.user.id)") }
    }
}

typealias Bot = NetworkBot<IRCAdapter>

extension NetworkBot<IRCAdapter> {
    convenience init(
        _ configuration: IRCAdapter.Setup, name: String = "marvin",
        timeline: Timeline = Timeline(ContinuousClock(), date: { .now }),
        limits: Robot.Limits = Robot.Limits(), grace: Duration = .milliseconds(500), admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), _ scripts: any Script...
    ) {
        self.init(
            name: name, timeline: timeline, limits: limits, grace: grace, admins: admins, brain: brain,
            scripts: { _ in scripts.isEmpty ? [TestScript.script] : scripts }
        ) { logger in
            IRCAdapter(
                configuration, brain: brain,
                in: AdapterEnvironment(timeline, generator: SeededGenerator(seed: 1), logger: logger))
        }
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
