import Heybot
import HeybotIRC
import HeybotSupport
import HeybotTesting
import IRCAdapter
import Synchronization
import TestServers
import Testing

/// Answers with a dozen lines, like help.
private final class Talkative: Script {
    /// Returns the number of lines that were sent so far.
    let countLines = Mutex<(@Sendable () -> Int)?>(nil)
    /// The number of lines when the robot last handled a ping of bob's.
    let linesBeforePing = Mutex(0)

    func register(on robot: inout RobotBuilder) {
        robot.respond(/help$/) { res in
            try await res.send((1...12).map { "line \($0)" }.joined(separator: "\n"))
        }
        robot.respond(/ping$/) { res in
            if res.message.user.name == "bob", let count = self.countLines.withLock({ $0 }) {
                self.linesBeforePing.withLock { $0 = count() }
            }
            try await res.reply("PONG")
        }
        robot.respond(/rules$/) { res in try await res.send("one\ntwo\nthree") }
        robot.respond(/help me$/) { res in
            _ = try await res.sendPrivately((1...8).map { "help \($0)" }.joined(separator: "\n"))
            try await res.reply("I've sent you a direct message.")
        }
    }
}

/// Flooding users don't delay the answers to others, at the usual rate limit.
@Suite(.enabled(if: IRCServer.hasNgircd)) struct FairnessTests {
    /// The number of lines that are sent before bob's answer in #dev, once the robot has read his question; each costs a second
    /// at the usual rate.
    private func linesBeforeAnswer(
        of bob: RawIRCClient, others: [RawIRCClient], _ script: Talkative
    ) async throws -> Int {
        // Every member sees the lines in #dev, so only bob's copy counts.
        @Sendable func said() -> Int {
            bob.lines.count { $0.hasPrefix(":marvin!") && $0.contains(" PRIVMSG #dev ") }
                + others.reduce(0) { sum, other in
                    sum
                        + other.lines.count {
                            $0.hasPrefix(":marvin!") && ($0.contains(" PRIVMSG ") || $0.contains(" NOTICE "))
                                && !$0.contains(" PRIVMSG #dev ")
                        }
                }
        }
        script.countLines.withLock { $0 = said }
        bob.send("PRIVMSG #dev :marvin: ping")
        try await bob.expect("PRIVMSG #dev :bob: PONG")
        return said() - script.linesBeforePing.withLock { $0 } - 1
    }

    /// The median of several answers: while the machine is busy, a client may see lines late that were sent before.
    private func medianLinesBeforeAnswers(
        _ count: Int, of bob: RawIRCClient, others: [RawIRCClient], _ script: Talkative
    ) async throws -> Int {
        var lines: [Int] = []
        for _ in 0..<count { lines.append(try await linesBeforeAnswer(of: bob, others: others, script)) }
        return lines.sorted()[count / 2]
    }

    private func inDev(_ nick: String, _ server: IRCServer) async throws -> RawIRCClient {
        let client = try RawIRCClient(port: server.port)
        _ = try await client.register(nick)
        client.send("JOIN #dev")
        try await client.expect("366")
        return client
    }

    private func configuration(_ port: Int) -> IRCAdapter.ResolvedConfiguration {
        .test(port, "#dev", "#ops", "#test") { $0.rateLimit = RateLimit() }
    }

    @Test func `one user's flood delays another user by at most two lines`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let script = Talkative()
        try await withBot(Bot(configuration(server.port), script)) { bot in
            try await bot.isUp()
            let (bob, mallory) = (try await inDev("bob", server), try await inDev("mallory", server))
            for _ in 0..<40 { mallory.send("PRIVMSG marvin :help") }
            for room in ["#dev", "#ops", "#test"] {
                mallory.send("JOIN \(room)")
                for _ in 0..<10 { mallory.send("PRIVMSG \(room) :marvin: help") }
            }
            try await mallory.expect("Not so fast")
            // It goes before everything that is queued, which takes minutes.
            let before = mallory.lines.prefix { !$0.contains("Not so fast") }
            #expect(before.count { $0.contains("line 1") } < 10)
            #expect(try await medianLinesBeforeAnswers(5, of: bob, others: [mallory], script) <= 2)
            #expect(bob.lines.contains { $0.contains("Not so fast") } == false)
        }
        await server.stop()
    }

    @Test func `twelve users' flood delays another user by at most five lines`() async throws {
        let flood = Array(repeating: ["PRIVMSG marvin :help", "PRIVMSG #dev :marvin: ping"], count: 12)
        try await expectAtMostFiveLines(before: 3, flood: flood.flatMap { $0 }, first: "line 1")
    }

    @Test func `twelve users who ask for different things delay another user by at most five lines, however often`()
        async throws
    {
        let flood = ["help me", "ping", "rules", "help me", "ping"].map { "PRIVMSG #dev :marvin: \($0)" }
        try await expectAtMostFiveLines(before: 7, flood: flood, first: "help 1")
    }

    /// Expects at most five lines before each of bob's answers while twelve users send these lines.
    ///
    /// - Parameters:
    ///   - answers: The number of answers that bob asks for.
    ///   - first: The text of the flood's answer that the first of the twelve waits for.
    private func expectAtMostFiveLines(before answers: Int, flood: [String], first: String) async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let script = Talkative()
        try await withBot(Bot(configuration(server.port), script)) { bot in
            try await bot.isUp()
            let bob = try await inDev("bob", server)
            var others: [RawIRCClient] = []
            for number in 0..<12 { others.append(try await inDev("p\(number)", server)) }
            for line in flood { for other in others { other.send(line) } }
            try await others[0].expect(first)
            #expect(try await medianLinesBeforeAnswers(answers, of: bob, others: others, script) <= 5)
        }
        await server.stop()
    }
}
