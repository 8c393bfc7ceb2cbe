import Foundation
import Synchronization
import TestServers
import Testing

/// SIGTERM in the middle of a conversation, repeatedly: 5 times, 100 with `bin/test --soak`.
@Suite(.timeLimit(.minutes(20))) struct RestartTests {
    private static let rounds = Soak.rounds(5, soak: 100)

    @Test(.enabled(if: IRCServer.hasNgircd && XMPPServer.Software.prosody.isInstalled))
    func `on SIGTERM commands are answered, the robot leaves its rooms, and updates persist`() async throws {
        let irc = try await IRCServer.ngircd()
        let xmpp = try await XMPPServer.start(.prosody)
        try await xmpp.register(account: "marvin", password: "pencil")
        let room = xmpp.room("dev")
        let asked = Mutex(0)
        let isTold = Atomic(false)
        let web = try ScriptedHTTPServer { client in
            while client.head() != nil {
                asked.withLock { $0 += 1 }
                // Not before the robot has received the signal.
                while !isTold.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.001) }
                guard client.answer("200 OK", ["Content-Type: application/json"], Self.comic) else { return }
            }
        }
        defer { web.stop() }
        let bob = try RawIRCClient(port: irc.port)
        _ = try await bob.register("bob")
        bob.send("JOIN #dev")
        try await bob.expect("366")
        let ada = try await xmpp.person("ada")
        try await ada.join(room, as: "Ada")

        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = try Self.words(folder, irc.port, xmpp.port, try #require(xmpp.caFile), room, web.url(""))
        var (given, told) = (0, 0)
        for round in 1...Self.rounds {
            let robot = try ChildProcess(words, isServer: false)
            try await bob.expect(":marvin!", "JOIN")
            try await ada.expect("<presence", "from='\(room)/marvin'")
            // A confirmed update persists; an unconfirmed one may.
            bob.send("PRIVMSG #dev :marvin: score swift")
            let score = try Self.number(in: await bob.expect(":bob: swift has "))
            #expect((told...given).contains(score), "round \(round)")

            isTold.store(false, ordering: .releasing)
            let before = asked.withLock { $0 }
            bob.send("PRIVMSG #dev :marvin: xkcd")
            ada.say("marvin: xkcd", in: room)
            try await wait(for: "both to be looked up") { asked.withLock { $0 } == before + 2 }
            for _ in 0..<3 { bob.send("PRIVMSG #dev :swift++") }
            given = score + 3
            // Some of these are handled before the robot ends, and some aren't.
            try await Task.sleep(for: .milliseconds(round % 10))
            robot.send(SIGTERM)
            isTold.store(true, ordering: .releasing)
            var lines: [String] = []
            repeat { lines.append(try await bob.next()) } while !lines.last!.contains(" QUIT ")
            #expect(lines.contains { $0.contains("PRIVMSG #dev :Slow") }, "round \(round): \(lines)")
            #expect(lines.last?.hasPrefix(":marvin!") == true)
            told = try lines.filter { $0.contains("swift now has ") }.map(Self.number).max() ?? score
            try await ada.expect("<body>Slow")
            try await ada.expect("<presence", "from='\(room)/marvin'", "unavailable")
            #expect(await robot.end(within: .testLimit) == 0, "round \(round)")
        }
    }

    private static let comic =
        #"{"num": 1, "safe_title": "Slow", "img": "https://imgs.xkcd.com/1.png", "alt": "It is."}"#

    private static func words(
        _ folder: URL, _ irc: Int, _ xmpp: Int, _ caFile: String, _ room: String, _ web: String
    ) throws -> [String] {
        let program = try #require(
            Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot").path)
        let environment = [
            "HEYBOT_DATA": folder.path, "HEYBOT_IRC_SERVER": "127.0.0.1", "HEYBOT_IRC_PORT": "\(irc)",
            "HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_ROOMS": "#dev", "HEYBOT_IRC_RATE_BURST": "0",
            "HEYBOT_XMPP_USERNAME": "marvin@xmpp.test", "HEYBOT_XMPP_PASSWORD": "pencil",
            "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_PORT": "\(xmpp)", "HEYBOT_XMPP_CA_FILE": caFile,
            "HEYBOT_XMPP_ROOMS": room, "HEYBOT_XMPP_STAY_DURING_RESTART": "false", "HEYBOT_XKCD_URL": web,
            "HEYBOT_LOG_LEVEL": "error", "HEYBOT_DEADLINE": "600", "HEYBOT_SHUTDOWN_TIMEOUT": "600",
            "HEYBOT_IRC_PING_TIMEOUT": "600", "HEYBOT_XMPP_PING_TIMEOUT": "600"
        ]
        return ["env", "-i"] + environment.map { "\($0)=\($1)" } + [program, "-a", "irc", "-a", "xmpp", "-n", "marvin"]
    }

    /// Returns the last number in a line.
    private static func number(in line: String) throws -> Int {
        try #require(line.split { !$0.isNumber }.last.flatMap { Int($0) })
    }
}
