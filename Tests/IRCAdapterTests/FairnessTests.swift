import Heybot
import HeybotTesting
import IRC
import IRCAdapter
import IRCServers
import Pacing
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
@Suite(.enabled(if: RealServer.hasNgircd)) struct FairnessTests {
    /// How long bob waits for an answer in #dev.
    private func wait(of bob: RawClient) async throws -> Duration {
        let start = ContinuousClock.now
        bob.send("PRIVMSG #dev :marvin: ping")
        try await bob.expect("PRIVMSG #dev :bob: PONG", within: .seconds(120))
        return ContinuousClock.now - start
    }

    private func inDev(_ nick: String, _ server: RealServer) async throws -> RawClient {
        let client = try RawClient(port: server.port)
        _ = try await client.register(nick)
        client.send("JOIN #dev")
        try await client.expect("366")
        return client
    }

    private func configuration(_ port: Int) -> IRCAdapter.Configuration {
        .test(port, "#dev", "#ops", "#test") { $0.pace = Pace() }
    }

    // The times are what is promised (issue 19, item 8): lines of the pace, not speed.
    @Test func `one person's flood, in private and in rooms, costs another less than two seconds`() async throws {
        let server = try await RealServer.ngircd(penalties: false)
        try await withBot(Bot(configuration(server.port), Talkative())) { bot in
            try await bot.isUp()
            let (bob, mallory) = (try await inDev("bob", server), try await inDev("mallory", server))
            for _ in 0..<40 { mallory.send("PRIVMSG marvin :help") }
            for room in ["#dev", "#ops", "#test"] {
                mallory.send("JOIN \(room)")
                for _ in 0..<10 { mallory.send("PRIVMSG \(room) :marvin: help") }
            }
            try await mallory.expect("not so fast", within: .seconds(5))
            #expect(try await wait(of: bob) < .seconds(2))
            #expect(try await wait(of: bob) < .seconds(2))
            #expect(bob.lines.contains { $0.contains("not so fast") } == false)
        }
        await server.stop()
    }

    @Test func `twelve persons' flood costs another less than five seconds`() async throws {
        let server = try await RealServer.ngircd(penalties: false)
        try await withBot(Bot(configuration(server.port), Talkative())) { bot in
            try await bot.isUp()
            let bob = try await inDev("bob", server)
            var others: [RawClient] = []
            for number in 0..<12 { others.append(try await inDev("p\(number)", server)) }
            for _ in 0..<12 { for other in others { other.send("PRIVMSG marvin :help", "PRIVMSG #dev :marvin: ping") } }
            try await others[0].expect("line 1", within: .seconds(30))
            #expect(try await wait(of: bob) < .seconds(5))
        }
        await server.stop()
    }
}
