import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSASL
import HeybotTesting
import NetworkAdapter
import Synchronization
import TestServers
import Testing

@testable import IRCAdapter

/// What a check says at servers that do what real ones do rarely; `heybot check` has tests with real ones.
@Suite(.timeLimit(.minutes(15))) struct CheckingTests {
    /// Checks until the body is over, and returns the steps.
    private func check(
        _ configuration: IRCAdapter.Setup, on timeline: Timeline, within limit: Duration = .testLimit,
        _ body: () async throws -> Void
    ) async throws -> [CheckStep] {
        let log = TestLog()
        let adapter = IRCAdapter(
            configuration, in: AdapterEnvironment(timeline, generator: SeededGenerator(seed: 1), logger: log.logger))
        let steps = Mutex<[CheckStep]>([])
        async let checking: Void = adapter.check(within: limit) { step in steps.withLock { $0.append(step) } }
        try await body()
        await checking
        return steps.withLock { $0 }
    }

    private func realTime() -> Timeline { Timeline(ContinuousClock(), date: { .now }) }

    @Test func `it answers nobody, goes nowhere else, and takes its leave`() async throws {
        let server = try ScriptedIRCServer()
        let steps = try await check(.test(server.port, "#dev"), on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(Registration())
            try await client.expect("JOIN #dev")
            client.send(
                ":ada!a@h PRIVMSG marvin :\u{1}VERSION\u{1}", ":ada!a@h PRIVMSG marvin :\u{1}TIME\u{1}",
                ":ada!a@h PRIVMSG marvin :ping", ":ada!a@h INVITE marvin :#other", "PING :now")
            try await client.expect("PONG now")
            client.send(
                ":marvin!~marvin@host.test JOIN #dev", ":ada!a@h PRIVMSG #dev :marvin: ping",
                ":irc.test 353 marvin = #dev :marvin ada", ":irc.test 366 marvin #dev :End")
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.hasPrefix("NOTICE") || $0.hasPrefix("PRIVMSG") })
            #expect(!client.lines.contains { $0.contains("#other") })
            client.close()
        }
        #expect(
            steps == [
                CheckStep("127.0.0.1:\(server.port)", .passed("connected to 127.0.0.1:\(server.port), not encrypted")),
                CheckStep("nick", .passed("marvin")), CheckStep("#dev", .passed("joined"))
            ])
    }

    @Test func `what is to be sent on connecting isn't, and that is told`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.Setup.test(server.port) { $0.commands = ["PRIVMSG ada :hemmelig"] }
        let steps = try await check(configuration, on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(Registration())
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.contains("PRIVMSG") })
            client.close()
        }
        #expect(steps.map(\.subject) == ["127.0.0.1:\(server.port)", "nick", "connect command"])
        #expect(
            steps.last?.outcome
                == .skipped("command isn't sent, since it may be heard"))
    }

    @Test func `whoever has its nick keeps it, though it is logged in to the account`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.Setup.test(server.port) {
            $0.account = Credentials(account: "marvin", password: "pencil")
        }
        let steps = try await check(configuration, on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(
                Registration(
                    capabilities: ["sasl=SCRAM-SHA-256"], takenNicks: ["marvin"], login: ("marvin", "pencil")))
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.contains("GHOST") })
            client.close()
        }
        #expect(steps.contains(CheckStep("login", .passed("as marvin, by SCRAM-SHA-256"))))
        guard case .warned(let words, _) = steps.last?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(words.hasSuffix("it would be marvin_"))
    }

    @Test func `a server that doesn't let it in is given up when its time is over`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        let steps = try await check(
            .test(server.port, "#dev"), on: Timeline(clock, date: { .now }), within: .seconds(30)
        ) {
            let client = try await server.accept()
            try await client.expect("USER")
            try await clock.waitForSleeper { $0 == .seconds(30) }
            clock.advance(by: .seconds(30))
            try await client.expect("QUIT")
            client.close()
        }
        #expect(steps.map(\.subject) == ["127.0.0.1:\(server.port)", "login", "rooms"])
        guard case .failed(let reason, let cure) = steps[1].outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(reason == "the server didn't let the robot in within 30.0 seconds")
        #expect(cure.contains("password is the one"))
    }

    @Test func `a room that doesn't answer is told, and one that has another name for it too`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        let steps = try await check(.test(server.port, "#dev", "#old"), on: Timeline(clock, date: { .now })) {
            let client = try await server.accept()
            _ = try await client.welcome(Registration())
            try await client.expect("JOIN")
            client.send(":irc.test 470 marvin #old #new :Forwarding to another channel", "PING :now")
            try await client.expect("PONG now")
            try await clock.waitForSleeper { $0 <= .seconds(10) }
            clock.advance(by: .seconds(10))
            try await client.expect("QUIT")
            client.close()
        }
        #expect(
            steps.suffix(2) == [
                CheckStep(
                    "#dev",
                    .failed("the server doesn't answer", cure: "check its name in channels, or try again later")
                ),
                CheckStep(
                    "#old",
                    .failed(
                        "Forwarding to another channel",
                        cure: "it sends people to another: set that one in channels"))
            ])
    }
}
