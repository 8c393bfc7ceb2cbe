import Foundation
import TestServers
import Testing

/// The command line with which a Hubot on Google Talk was started.
@Suite(.timeLimit(.minutes(15))) struct GoogleTalkTests {
    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `a Google Talk configuration works unchanged with any server`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "hubot", password: "pencil")
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let robot = Process()
        robot.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot")
        robot.arguments = ["-a", "gtalk", "-n", "Heybot"]
        robot.environment = [
            "HUBOT_GTALK_USERNAME": "hubot@xmpp.test", "HUBOT_GTALK_PASSWORD": "pencil",
            "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_PORT": "\(server.port)",
            "HEYBOT_XMPP_CA_FILE": try #require(server.caFile), "HEYBOT_DATA": folder.path,
            "HEYBOT_XMPP_STAY_DURING_RESTART": "false", "HEYBOT_DEADLINE": "600", "HEYBOT_XMPP_PING_TIMEOUT": "600"
        ]
        robot.standardInput = FileHandle.nullDevice
        robot.standardError = FileHandle.nullDevice
        try robot.run()
        defer { robot.terminate() }

        let ada = try await server.person("ada")
        ada.exchangeSubscriptions(with: "hubot@xmpp.test")
        try await ada.expect("<presence", "from='hubot@xmpp.test/")
        ada.tell("hubot@xmpp.test", "ping")
        try await ada.expect("from='hubot@xmpp.test/", "<body>PONG</body>")
        // On SIGTERM it leaves and exits normally.
        robot.terminate()
        try await ada.expect("<presence", "from='hubot@xmpp.test/", "unavailable")
        robot.waitUntilExit()
        #expect(robot.terminationStatus == 0)
    }
}
