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
enum TestScript {
    static let long = String(repeating: "日本語 👨‍👩‍👧‍👦 naïve ", count: 1_000)

    static let script = NetworkScript(long: long) { robot in
        robot.topic { res in try await res.send("so it is \(res.message.content)") }
    }
}

typealias Bot = NetworkBot<XMPPAdapter>

extension NetworkBot<XMPPAdapter> {
    convenience init(
        _ configuration: XMPPAdapter.Setup, name: String = "marvin", adapterName: String = "xmpp",
        timeline: Timeline = Timeline(ContinuousClock(), date: { .now }), limits: Robot.Limits = Robot.Limits(),
        grace: Duration = .milliseconds(500), scripts: [any Script] = [TestScript.script],
        brain: Brain = Brain(store: MemoryStore())
    ) {
        self.init(
            name: name, timeline: timeline, limits: limits, grace: grace, brain: brain, scripts: { _ in scripts }
        ) { logger in
            XMPPAdapter(
                configuration, name: adapterName, brain: brain,
                in: AdapterEnvironment(timeline, generator: SeededGenerator(seed: 1), logger: logger))
        }
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
