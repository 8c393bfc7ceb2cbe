import Heybot
import HeybotIRC
import HeybotSupport
import HeybotTesting
import IRCAdapter
import TestServers
import Testing

/// Answers with a dozen lines, as help does.
private struct Talkative: Script {
    func register(on robot: inout RobotBuilder) {
        robot.respond(/help$/) { res in
            try await res.send((1...12).map { "line \($0)" }.joined(separator: "\n"))
        }
        robot.respond(/ping$/) { res in try await res.reply("PONG") }
    }
}

/// Whatever some do, others are answered, at the pace that networks are used to.
@Suite(.enabled(if: IRCServer.hasNgircd)) struct FairnessTests {
    /// How many lines the robot says before bob's answer in #dev: at the usual pace each costs a second.
    private func linesBeforeAnswer(of bob: RawClient, others: [RawClient]) async throws -> Int {
        // What is said in #dev everybody sees, so that only bob's copy counts.
        func said() -> Int {
            bob.lines.count { $0.hasPrefix(":marvin!") && $0.contains(" PRIVMSG #dev ") }
                + others.reduce(0) { sum, other in
                    sum
                        + other.lines.count {
                            $0.hasPrefix(":marvin!") && ($0.contains(" PRIVMSG ") || $0.contains(" NOTICE "))
                                && !$0.contains(" PRIVMSG #dev ")
                        }
                }
        }
        let before = said()
        bob.send("PRIVMSG #dev :marvin: ping")
        try await bob.expect("PRIVMSG #dev :bob: PONG")
        return said() - before - 1
    }

    private func inDev(_ nick: String, _ server: IRCServer) async throws -> RawClient {
        let client = try RawClient(port: server.port)
        _ = try await client.register(nick)
        client.send("JOIN #dev")
        try await client.expect("366")
        return client
    }

    private func configuration(_ port: Int) -> IRCAdapter.Setup {
        .test(port, "#dev", "#ops", "#test") { $0.pace = Pace() }
    }

    @Test func `one person's flood, in private and in rooms, costs another two lines at most`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        try await withBot(Bot(configuration(server.port), Talkative())) { bot in
            try await bot.isUp()
            let (bob, mallory) = (try await inDev("bob", server), try await inDev("mallory", server))
            for _ in 0..<40 { mallory.send("PRIVMSG marvin :help") }
            for room in ["#dev", "#ops", "#test"] {
                mallory.send("JOIN \(room)")
                for _ in 0..<10 { mallory.send("PRIVMSG \(room) :marvin: help") }
            }
            try await mallory.expect("not so fast")
            // It goes before all that waits, which takes minutes.
            #expect(mallory.lines.count { $0.contains("line 1") } < 10)
            for _ in 0..<2 { #expect(try await linesBeforeAnswer(of: bob, others: [mallory]) <= 2) }
            #expect(bob.lines.contains { $0.contains("not so fast") } == false)
        }
        await server.stop()
    }

    @Test func `twelve persons' flood costs another five lines at most`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        try await withBot(Bot(configuration(server.port), Talkative())) { bot in
            try await bot.isUp()
            let bob = try await inDev("bob", server)
            var others: [RawClient] = []
            for number in 0..<12 { others.append(try await inDev("p\(number)", server)) }
            for _ in 0..<12 { for other in others { other.send("PRIVMSG marvin :help", "PRIVMSG #dev :marvin: ping") } }
            try await others[0].expect("line 1")
            #expect(try await linesBeforeAnswer(of: bob, others: others) <= 5)
        }
        await server.stop()
    }
}
