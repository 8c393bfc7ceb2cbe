import Foundation
import Heybot
import HeybotTesting
import HeybotWebServer
import IRCAdapter
import StandardScripts
import TestServers
import Testing

/// From a webhook into a room.
@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
    private static let payload = """
        {"ref": "refs/heads/main", "before": "1111", "after": "2222", "created": false, "deleted": false,
         "forced": false, "compare": "https://github.com/ada/engine/compare/1111...2222",
         "repository": {"id": 1, "name": "engine", "full_name": "ada/engine", "owner": {"login": "ada", "name": "ada"},
          "html_url": "https://github.com/ada/engine"},
         "pusher": {"name": "ada", "email": "ada@example.org"}, "sender": {"login": "ada", "id": 1815},
         "commits": [{"id": "2222", "distinct": true, "message": "Turn the crank", "author": {"name": "Ada"},
          "url": "https://github.com/ada/engine/commit/2222"}]}
        """

    /// Posts with `curl`, signed by `openssl`, as a person would.
    private func post(_ port: Int, _ folder: ScratchFolder, secret: String) async throws -> String {
        let path = folder.path("payload.json")
        try Data(Self.payload.utf8).write(to: URL(filePath: path))
        let said = try await ChildProcess.run(["openssl", "dgst", "-sha256", "-hmac", secret, path], in: folder)
        let signature = said.split(separator: "= ").last.map { $0.filter { !$0.isWhitespace } } ?? ""
        return try await ChildProcess.run(
            [
                "curl", "-sS", "--max-time", "600", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary",
                "@\(path)", "-H", "Content-Type: application/json", "-H", "X-GitHub-Event: push",
                "-H", "X-GitHub-Delivery: 1", "-H", "X-Hub-Signature-256: sha256=\(signature)",
                "http://127.0.0.1:\(port)/github/%23dev"
            ], in: folder)
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func `a GitHub push is posted to IRC, and one with a wrong signature isn't`() async throws {
        let irc = try await IRCServer.ngircd()
        var configuration = NIOHTTPServer.Configuration()
        configuration.address = "127.0.0.1"
        configuration.port = try Port.free()
        configuration.bodyTimeout = .testLimit
        let robot = Robot(
            name: "marvin",
            adapters: [IRCAdapter(server: .init(host: "127.0.0.1", port: irc.port), channels: ["#dev"])],
            brain: Brain(store: MemoryStore()), scripts: [GitHub()], settings: ["GITHUB_SECRET": "hemmelig"],
            server: NIOHTTPServer(configuration, logger: TestLog().logger), limits: .forBusyMachine,
            logger: TestLog().logger)
        let running = Task { try await robot.run() }
        try await wait(for: "the robot to be up: \(robot.adapters.map(\.status))") {
            robot.adapters.allSatisfy { if case .up = $0.status { true } else { false } }
        }
        let bob = try RawIRCClient(port: irc.port)
        _ = try await bob.register("bob")
        bob.send("JOIN #dev")
        try await bob.expect("366")

        let folder = try ScratchFolder()
        #expect(try await post(configuration.port, folder, secret: "wrong") == "401")
        #expect(try await post(configuration.port, folder, secret: "hemmelig") == "200")
        let line = try await bob.expect("PRIVMSG #dev :")
        #expect(line.contains("ada") && line.contains("Turn the crank") && line.contains("compare/1111...2222"))
        robot.stop()
        try await running.value
        #expect(bob.received.filter { $0.contains("PRIVMSG #dev") }.count == 1)
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func `an admin gets an address privately, and who has it posts in that channel only, however it is written`()
        async throws
    {
        let irc = try await IRCServer.ngircd()
        var network = IRCAdapter.Configuration(
            servers: [.init(host: "127.0.0.1", port: irc.port)], channels: ["#ops", "#dev"])
        network.trustsNicks = true
        network.connection.pingTimeout = .testLimit
        var configuration = NIOHTTPServer.Configuration()
        configuration.address = "127.0.0.1"
        configuration.port = try Port.free()
        configuration.bodyTimeout = .testLimit
        let robot = Robot(
            name: "marvin", adapters: [try IRCAdapter(network)], brain: Brain(store: MemoryStore()),
            scripts: [Webhooks(), AccessControl()], admins: ["irc:root"],
            settings: ["WEBHOOKS_URL": "http://127.0.0.1:\(configuration.port)"],
            server: NIOHTTPServer(configuration, logger: TestLog().logger), limits: .forBusyMachine,
            logger: TestLog().logger)
        let running = Task { try await robot.run() }
        try await wait(for: "the robot to be up: \(robot.adapters.map(\.status))") {
            robot.adapters.allSatisfy { if case .up = $0.status { true } else { false } }
        }
        let (root, bob) = (try RawIRCClient(port: irc.port), try RawIRCClient(port: irc.port))
        _ = try await root.register("root")
        _ = try await bob.register("bob")
        for channel in ["#ops", "#dev"] {
            for person in [root, bob] {
                person.send("JOIN \(channel)")
                try await person.expect("366", channel)
            }
        }

        root.send("PRIVMSG #dev :marvin: webhook for #OPS as tools")
        let told = try await root.expect("PRIVMSG root :Webhook tools for #ops: ")
        let address = try #require(told.firstMatch(of: /http:\/\/\S+/).map { String($0.output) })
        bob.send("PRIVMSG #ops :marvin: webhooks")
        try await bob.expect("PRIVMSG #ops :tools for #ops, created by root on ")
        // Rules compare channels as the network does, too.
        root.send("PRIVMSG #dev :marvin: allow approvals for everyone in #OPS")
        try await root.expect("PRIVMSG #dev :root: Access to \"approvals\": everyone, in irc:#ops.")
        bob.send("PRIVMSG #dev :marvin: approvals")
        try await bob.expect("PRIVMSG #dev :bob: You can use that only in irc:#ops.")
        bob.send("PRIVMSG #ops :marvin: approvals")
        try await bob.expect("PRIVMSG #ops :bob: Nothing waits for your approval.")

        let folder = try ScratchFolder()
        let text = try folder.write(
            "look @everyone\r\nPRIVMSG #dev :pwned\u{1}ACTION dances\u{1}\r\nthe end", to: "text")
        func post(to url: String) async throws -> String {
            try await ChildProcess.run(
                [
                    "curl", "-sS", "--max-time", "600", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                    "Content-Type: text/plain", "--data-binary", "@\(text)", url
                ], in: folder)
        }
        #expect(try await post(to: address) == "200")
        #expect(try await post(to: address.replacing("/tools/", with: "/other/")) == "404")
        try await bob.expect("PRIVMSG #ops :[tools] look everyone")
        try await bob.expect("PRIVMSG #ops :[tools] PRIVMSG #dev :pwnedACTION dances")
        try await bob.expect("PRIVMSG #ops :[tools] the end")
        robot.stop()
        try await running.value
        let said = bob.received.filter { $0.contains(/^:marvin!\S+ PRIVMSG #dev :/) }
        #expect(said.allSatisfy { $0.contains(" PRIVMSG #dev :root: ") || $0.contains(" PRIVMSG #dev :bob: ") })
    }
}
