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
                "curl", "-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@\(path)",
                "-H", "Content-Type: application/json", "-H", "X-GitHub-Event: push", "-H", "X-GitHub-Delivery: 1",
                "-H", "X-Hub-Signature-256: sha256=\(signature)", "http://127.0.0.1:\(port)/github/%23dev"
            ], in: folder)
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func `a GitHub push is posted to IRC, and one with a wrong signature isn't`() async throws {
        let irc = try await IRCServer.ngircd()
        var configuration = NIOHTTPServer.Configuration()
        configuration.address = "127.0.0.1"
        configuration.port = try Port.free()
        let robot = Robot(
            name: "marvin",
            adapters: [IRCAdapter(server: .init(host: "127.0.0.1", port: irc.port), channels: ["#dev"])],
            brain: Brain(store: MemoryStore()), scripts: [GitHub()], settings: ["GITHUB_SECRET": "hemmelig"],
            server: NIOHTTPServer(configuration, logger: TestLog().logger), logger: TestLog().logger)
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
}
