import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSASL
import HeybotSupport
import HeybotTesting
import NetworkAdapter
import Synchronization
import TestServers
import Testing

@testable import IRCAdapter

/// The preflight check with servers that behave unusually; `heybot check` is tested with real ones.
@Suite(.timeLimit(.minutes(15))) struct PreflightTests {
    /// Runs a check until `body` returns, and returns its results.
    private func check(
        _ configuration: IRCAdapter.ResolvedConfiguration, on timeSource: TimeSource,
        within limit: Duration = .testLimit, brain: Brain? = nil,
        _ body: () async throws -> Void
    ) async throws -> [PreflightCheckResult] {
        let log = TestLog()
        let adapter = IRCAdapter(
            configuration, brain: brain,
            in: AdapterDependencies(timeSource, generator: SeededGenerator(seed: 1), logger: log.logger))
        let steps = Mutex<[PreflightCheckResult]>([])
        async let checking: Void = adapter.check(within: limit) { step in steps.withLock { $0.append(step) } }
        try await body()
        await checking
        return steps.withLock { $0 }
    }

    private func realTime() -> TimeSource { TimeSource(ContinuousClock(), date: { .now }) }

    @Test func `the check answers nobody, joins nothing else, and quits`() async throws {
        let server = try ScriptedIRCServer()
        let steps = try await check(.test(server.port, "#dev"), on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(RegistrationScript())
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
                PreflightCheckResult(
                    "127.0.0.1:\(server.port)", .passed("connected to 127.0.0.1:\(server.port), not encrypted")),
                PreflightCheckResult("nick", .passed("marvin")), PreflightCheckResult("#dev", .passed("joined"))
            ])
    }

    @Test func `a host that has demanded TLS isn't connected to without TLS`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let policy = EncryptionPolicy(port: server.port, expires: .distantFuture)
        try await brain.remember(BrainCollection<EncryptionPolicy>("irc.sts"), "127.0.0.1", policy)
        let steps = try await check(.test(server.port, "#dev"), on: realTime(), brain: brain) {
            let client = try await server.accept()
            // The client waits for a TLS handshake.
            client.send("NOTICE * :no TLS here")
            try await client.expectEnd()
            #expect(!client.lines.contains { $0.hasPrefix("NICK") || $0.hasPrefix("CAP") })
        }
        guard case .failed(let reason, _) = steps.first?.outcome else {
            Issue.record("the check connected: \(steps)")
            return
        }
        #expect(reason.contains("demands a verified TLS connection until"))
    }

    @Test func `the connect command isn't sent, and this is reported`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port) {
            $0.commands = ["PRIVMSG ada :hemmelig"]
        }
        let steps = try await check(configuration, on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(RegistrationScript())
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.contains("PRIVMSG") })
            client.close()
        }
        #expect(steps.map(\.subject) == ["127.0.0.1:\(server.port)", "nick", "connect command"])
        #expect(
            steps.last?.outcome
                == .skipped("command isn't sent during a check"))
    }

    @Test func `the nick isn't reclaimed, even when logged in`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port) {
            $0.account = Credentials(account: "marvin", password: "pencil")
        }
        let steps = try await check(configuration, on: realTime()) {
            let client = try await server.accept()
            client.answerPings()
            _ = try await client.welcome(
                RegistrationScript(
                    capabilities: ["sasl=SCRAM-SHA-256"], takenNicks: ["marvin"], login: ("marvin", "pencil")))
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.contains("GHOST") })
            client.close()
        }
        #expect(steps.contains(PreflightCheckResult("login", .passed("as marvin, by SCRAM-SHA-256"))))
        guard case .warned(let words, _) = steps.last?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(words.hasSuffix("this check uses marvin_"))
    }

    @Test func `a network that offers no login by a key is reported`() async throws {
        let key = """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIHAm3V7hEUdHsqGDML+ghf/R2x+4v83roJT1IoeBw8vioAoGCCqGSM49
            AwEHoUQDQgAE3++/scLqRgz7SzRzZISfacLkHDXAi1o2z4j8RG1xl43oMCOFgiiZ
            2L8eW6pBwpR0MtqK953xfVi+o55u0e5Z9g==
            -----END EC PRIVATE KEY-----
            """
        let signer = SigningCredentials(account: "marvin", key: try SigningKey(pem: Array(key.utf8)))
        let reason = "the network offers no login by a key (SASL ECDSA-NIST256P-CHALLENGE)"
        let fix = "set accountPassword instead of saslKeyFile"
        let outcomes: [(SessionConfiguration.LoginFailurePolicy, PreflightCheckResult.Outcome)] = [
            (.continueWithoutAccount, .warned(reason, fix: fix)), (.disconnect, .failed(reason, fix: fix))
        ]
        for (policy, outcome) in outcomes {
            let server = try ScriptedIRCServer()
            let configuration = IRCAdapter.ResolvedConfiguration.test(server.port) {
                $0.signer = signer
                $0.loginFailurePolicy = policy
            }
            let steps = try await check(configuration, on: realTime()) {
                let client = try await server.accept()
                client.answerPings()
                _ = try await client.welcome(RegistrationScript())
                if policy == .disconnect { try await client.expectEnd() } else { try await client.expect("QUIT") }
                client.close()
            }
            #expect(steps.filter { $0.subject == "login" } == [PreflightCheckResult("login", outcome)])
        }
    }

    @Test func `a server that doesn't complete registration times out`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        let steps = try await check(
            .test(server.port, "#dev"), on: TimeSource(clock, date: { .now }), within: .seconds(30)
        ) {
            let client = try await server.accept()
            try await client.expect("USER")
            try await clock.waitForSleeper { $0 == .seconds(30) }
            clock.advance(by: .seconds(30))
            try await client.expect("QUIT")
            client.close()
        }
        #expect(steps.map(\.subject) == ["127.0.0.1:\(server.port)", "login", "rooms"])
        guard case .failed(let reason, let fix) = steps[1].outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(reason == "login timed out after 30.0 seconds")
        #expect(fix.contains("set password"))
    }

    @Test func `rooms that don't answer or forward are reported`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        let steps = try await check(.test(server.port, "#dev", "#old"), on: TimeSource(clock, date: { .now })) {
            let client = try await server.accept()
            _ = try await client.welcome(RegistrationScript())
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
                PreflightCheckResult(
                    "#dev",
                    .failed(
                        "the server doesn't answer", fix: "check the channel's name in channels, or try again later")
                ),
                PreflightCheckResult(
                    "#old",
                    .failed(
                        "Forwarding to another channel",
                        fix: "the channel forwards to another one: name that channel in channels instead"))
            ])
    }
}
