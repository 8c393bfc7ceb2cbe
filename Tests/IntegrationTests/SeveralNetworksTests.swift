import Heybot
import HeybotTesting
import IRCAdapter
import StandardScripts
import TestServers
import Testing
import XMPPAdapter

/// One robot on several networks.
@Suite(.timeLimit(.minutes(15))) struct SeveralNetworksTests {
    @Test(.enabled(if: IRCServer.hasNgircd && XMPPServer.Software.prosody.isInstalled))
    func `a score given on IRC is reported on XMPP, and the other way round`() async throws {
        let irc = try await IRCServer.ngircd()
        let xmpp = try await XMPPServer.start(.prosody)
        try await xmpp.register(account: "marvin", password: "pencil")
        let room = xmpp.room("dev")

        var account = XMPPAdapter.Configuration(
            address: "marvin@xmpp.test", password: "pencil", rooms: [.init(room)])
        (account.host, account.port) = ("127.0.0.1", xmpp.port)
        account.authorityFile = xmpp.caFile
        account.connection.pingTimeout = .testLimit
        var network = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: irc.port)], channels: ["#dev"])
        network.connection.pingTimeout = .testLimit
        let robot = Robot(
            name: "marvin",
            adapters: [try IRCAdapter(network), try XMPPAdapter(account)], brain: Brain(store: MemoryStore()),
            scripts: [PlusPlus()], limits: .forBusyMachine, logger: TestLog().logger)
        let running = Task { try await robot.run() }
        try await wait(for: "the robot to be up: \(robot.adapters.map(\.status))") {
            robot.adapters.allSatisfy { if case .up = $0.status { true } else { false } }
        }

        let bob = try RawIRCClient(port: irc.port)
        _ = try await bob.register("bob")
        bob.send("JOIN #dev")
        try await bob.expect("366")
        let ada = try await xmpp.person("ada")
        try await ada.join(room, as: "Ada")
        bob.send("PRIVMSG #dev :swift++")
        try await bob.expect("PRIVMSG #dev :swift now has 1.")
        ada.say("marvin: score swift", in: room)
        try await ada.expect("<body>Ada: swift has 1.</body>")
        ada.say("swift++", in: room)
        try await ada.expect("<body>swift now has 2.</body>")
        bob.send("PRIVMSG #dev :marvin: score swift")
        try await bob.expect("PRIVMSG #dev :bob: swift has 2.")
        robot.stop()
        try await running.value
        // It leaves both networks.
        try await bob.expect("marvin", "QUIT")
        try await ada.expect("<presence", "from='\(room)/marvin'", "unavailable")
    }
}
