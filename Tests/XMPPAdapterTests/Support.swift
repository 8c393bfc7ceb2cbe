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

/// The script of these tests' robots.
enum TestScript {
    static let long = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 1_000)

    static let script = NetworkScript(long: long) { robot in
        robot.topic { res in try await res.send("so it is \(res.message.content)") }
    }
}

typealias Bot = NetworkBot<XMPPAdapter>

extension NetworkBot<XMPPAdapter> {
    convenience init(
        _ configuration: XMPPAdapter.ResolvedConfiguration, name: String = "marvin", adapterName: String = "xmpp",
        timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }), limits: Robot.Limits = Robot.Limits(),
        grace: Duration = .milliseconds(500), scripts: [any Script] = [TestScript.script],
        brain: Brain = Brain(store: MemoryStore()), http: (any HTTPClient)? = nil
    ) {
        self.init(
            name: name, timeSource: timeSource, limits: limits, grace: grace, brain: brain, http: http,
            scripts: { _ in scripts }
        ) { logger in
            XMPPAdapter(
                configuration, name: adapterName, brain: brain, http: http,
                in: AdapterDependencies(timeSource, generator: SeededGenerator(seed: 1), logger: logger))
        }
    }
}

extension XMPPAdapter.ResolvedConfiguration {
    /// Returns a configuration for a server on loopback, with short delays.
    static func test(
        _ port: Int, caFile: String? = nil, direct isDirectTLS: Bool = false, rooms: [String] = [],
        change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Self {
        var session = SessionConfiguration(address: try JID("marvin@xmpp.test"), password: "pencil", nick: "marvin")
        session.rooms = try rooms.map { SessionConfiguration.Room(try JID($0)) }
        session.usesTLS = caFile != nil
        session.rateLimit = RateLimit(burst: 20, interval: .milliseconds(10))
        session.timeouts.rejoinDelay = .milliseconds(20)
        session.timeouts.joinRetryDelay = .milliseconds(200)
        session.timeouts.nickRetryInterval = .milliseconds(200)
        // Only a hang reaches these, also on a busy machine.
        session.timeouts.join = .seconds(120)
        session.timeouts.response = .seconds(120)
        session.timeouts.pingInterval = .seconds(600)
        session.timeouts.login = .seconds(300)
        change(&session)
        var configuration = Self(session: session)
        configuration.server = Endpoint(host: "127.0.0.1", port: port)
        configuration.isDirectTLS = isDirectTLS
        if let caFile { configuration.trust = .authorities(file: caFile) }
        configuration.connection.reconnect = .init(
            first: .milliseconds(10), longest: .milliseconds(100), stable: .seconds(1))
        configuration.connection.refusedRetryDelay = .milliseconds(300)
        configuration.connection.connectTimeout = .seconds(300)
        return configuration
    }
}
