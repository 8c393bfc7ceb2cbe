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

/// The scripts of these tests.
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
            if try await !res.showMore() { try await res.reply("That's all.") }
        }
        robot.respond(/reboot$/, allow: .admins) { res in try await res.send("rebooting for \(res.message.user.id)") }
    }
}

typealias Bot = NetworkBot<IRCAdapter>

extension NetworkBot<IRCAdapter> {
    convenience init(
        _ configuration: IRCAdapter.ResolvedConfiguration, name: String = "marvin",
        timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }),
        limits: Robot.Limits = Robot.Limits(), grace: Duration = .milliseconds(500), admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), _ scripts: any Script...
    ) {
        self.init(
            name: name, timeSource: timeSource, limits: limits, grace: grace, admins: admins, brain: brain,
            scripts: { _ in scripts.isEmpty ? [TestScript.script] : scripts }
        ) { logger in
            IRCAdapter(
                configuration, brain: brain,
                in: AdapterDependencies(timeSource, generator: SeededGenerator(seed: 1), logger: logger))
        }
    }
}

extension IRCAdapter.ResolvedConfiguration {
    /// A configuration for a server on loopback, with short delays.
    static func test(
        _ port: Int, tls: TLSOptions? = nil, _ channels: String...,
        change: (inout SessionConfiguration) -> Void = { _ in }
    )
        -> Self
    {
        var session = SessionConfiguration(nick: "marvin")
        session.channels = channels.map { SessionConfiguration.Channel($0) }
        session.rateLimit = RateLimit(burst: 5, interval: .milliseconds(50))
        session.timeouts.rejoinDelay = .milliseconds(20)
        session.timeouts.joinRetryDelay = .milliseconds(100)
        session.timeouts.nickRetryInterval = .milliseconds(200)
        // Only a hang reaches these, also on a busy machine.
        session.timeouts.registration = .seconds(300)
        session.timeouts.pingInterval = .seconds(600)
        session.timeouts.login = .seconds(300)
        change(&session)
        var configuration = Self(
            servers: [Endpoint(host: "127.0.0.1", port: port)], tls: tls, session: session)
        configuration.connection.reconnect = .init(
            first: .milliseconds(10), longest: .milliseconds(100), stable: .seconds(1))
        configuration.connection.refusedRetryDelay = .milliseconds(300)
        configuration.connection.connectTimeout = .seconds(300)
        return configuration
    }
}
