import CurlClient
import Heybot
import HeybotTesting
import IRCAdapter
import StandardScripts
import TestServers
import Testing
import XMPPAdapter

/// A robot in the channel `#dev` of an ngircd and in a room of a Prosody, and people on both.
///
/// Bob and Dave are on IRC, and nobody knows accounts there. Ada, the robot's admin, and Carol are on XMPP; only Carol has joined
/// the room.
struct TwoNetworks: Sendable {
    static let isPossible = IRCServer.hasNgircd && XMPPServer.Software.prosody.isInstalled

    let robot: Robot
    let xmppAdapter: XMPPAdapter
    /// The address of the room on XMPP.
    let room: String
    let bob: RawIRCClient
    let dave: RawIRCClient
    let ada: XMPPTestClient
    let carol: XMPPTestClient

    /// Joins the room as Ada, and returns when the robot sees her.
    func adaJoins() async throws {
        try await ada.join(room, as: "Ada")
        let id = User.ID(adapter: "xmpp", value: "ada@xmpp.test")
        while await !xmppAdapter.isPresent(id) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Runs a robot with the scripts for teams while the body runs.
    ///
    /// - Parameter names: The names of other robots in both rooms.
    static func run(besides names: [String] = [], _ body: (TwoNetworks) async throws -> Void) async throws {
        let irc = try await IRCServer.ngircd(penalties: false)
        let xmpp = try await XMPPServer.start(.prosody)
        try await xmpp.register(account: "marvin", password: "pencil")
        let room = xmpp.room("dev")
        let (ada, carol) = (try await xmpp.person("ada"), try await xmpp.person("carol"))
        try await carol.join(room, as: "Carol")
        // The robot must know who the people are.
        try await carol.setAnonymous(false, of: room)
        let bob = try await person("bob", on: irc)
        let dave = try await person("dave", on: irc)

        let http = CurlHTTPClient(
            .init(blocksPrivateAddresses: false, connectDeadline: .testLimit), logger: TestLog().logger)
        defer { http.close() }
        let xmppAdapter = try adapter(for: xmpp, room, "marvin")
        let scripts: [any Script] = [
            Accounts(), CustomCommands(), Diagnostics(), Facts(), Feeds(), Help(), OnCall(), Polls(), Relay(),
            Reminders(),
            Schedules(), Seen(), Standup(), Tell()
        ]
        let robot = Robot(
            name: "marvin", adapters: [try adapter(for: irc), xmppAdapter], brain: Brain(store: MemoryStore()),
            scripts: scripts, admins: ["xmpp:ada@xmpp.test"], settings: ["TIME_ZONE": "UTC"], http: http,
            limits: .forBusyMachine, logger: TestLog().logger)
        let running = Task { try await robot.run() }
        var others: [Robot] = []
        var othersRunning: [Task<Void, any Error>] = []
        for name in names {
            try await xmpp.register(account: name, password: "pencil")
            let other = Robot(
                name: name, adapters: [try adapter(for: irc), try adapter(for: xmpp, room, name)],
                brain: Brain(store: MemoryStore()), scripts: [Diagnostics(), PlusPlus(), Relay()],
                admins: ["xmpp:ada@xmpp.test"], limits: .forBusyMachine, logger: TestLog().logger)
            others.append(other)
            othersRunning.append(Task { try await other.run() })
        }
        for name in ["marvin"] + names {
            for client in [bob, dave] {
                _ = try await client.find("\(name) in #dev", since: 0) {
                    $0.hasPrefix(":\(name)!") && $0.contains(" JOIN ")
                }
            }
            _ = try await carol.find("\(name) in the room", since: 0) {
                $0.hasPrefix("<presence") && $0.contains("\(room)/\(name)")
            }
        }
        let networks = TwoNetworks(
            robot: robot, xmppAdapter: xmppAdapter, room: room, bob: bob, dave: dave, ada: ada, carol: carol)
        do {
            try await body(networks)
        } catch {
            for robot in [robot] + others { robot.stop() }
            for task in [running] + othersRunning { _ = try? await task.value }
            throw error
        }
        for robot in [robot] + others { robot.stop() }
        for task in [running] + othersRunning { try await task.value }
        withExtendedLifetime((irc, xmpp)) {}
    }

    private static func person(_ nick: String, on server: IRCServer) async throws -> RawIRCClient {
        let client = try RawIRCClient(port: server.port)
        try await client.register(nick)
        client.send("JOIN #dev")
        try await client.expect("366")
        return client
    }

    private static func adapter(for server: IRCServer) throws -> IRCAdapter {
        var configuration = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: server.port)], channels: ["#dev"])
        configuration.trustsNicks = true
        configuration.lineInterval = .zero
        configuration.connection.pingTimeout = .testLimit
        configuration.commandLimit.burst = 0
        return try IRCAdapter(configuration)
    }

    private static func adapter(for server: XMPPServer, _ room: String, _ name: String) throws -> XMPPAdapter {
        var configuration = XMPPAdapter.Configuration(
            address: "\(name)@xmpp.test", password: "pencil", rooms: [.init(room)])
        (configuration.host, configuration.port) = ("127.0.0.1", server.port)
        configuration.authorityFile = server.caFile
        configuration.messageInterval = .zero
        configuration.connection.pingTimeout = .testLimit
        configuration.commandLimit.burst = 0
        return try XMPPAdapter(configuration)
    }
}
