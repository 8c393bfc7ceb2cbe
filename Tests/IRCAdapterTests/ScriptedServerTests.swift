import FoundationEssentials
import HeybotIRC
import HeybotSASL
import HeybotSockets
import HeybotSupport
import HeybotTesting
import NetworkAdapter
import TestServers
import Testing

@testable import Heybot
@testable import IRCAdapter

/// Unusual server behavior.
@Suite(.timeLimit(.minutes(15))) struct ScriptedServerTests {
    private func enter(_ server: ScriptedIRCServer, _ registration: RegistrationScript = RegistrationScript())
        async throws
        -> AcceptedIRCClient
    {
        let client = try await server.accept()
        client.answerJoins(of: "marvin!~marvin@host.test")
        client.answerPings()
        _ = try await client.welcome(registration)
        return client
    }

    private func asks(_ client: AcceptedIRCClient) async throws {
        client.send(":ada!a@h PRIVMSG #dev :marvin: ping")
        try await client.expect("PRIVMSG #dev", "PONG")
    }

    @Test func `SCRAM with a server that proves that it knows the password`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.account = Credentials(account: "marvin", password: "pencil")
            $0.loginFailurePolicy = .disconnect
        }
        try await withBot(Bot(configuration)) { _ in
            let client = try await server.accept()
            client.answerJoins(of: "marvin!~marvin@host.test")
            let registered = try await client.welcome(
                RegistrationScript(
                    capabilities: ["sasl=SCRAM-SHA-256,PLAIN", "server-time"], login: ("marvin", "pencil")))
            #expect(registered.mechanism == "SCRAM-SHA-256")
            #expect(registered.account == "marvin")
            try await asks(client)
        }
    }

    @Test func `invalid bytes, invalid lines, and fragmented lines`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            for junk: [UInt8] in [
                [0], [0xff, 0xfe], Array("\u{1}".utf8), Array(repeating: 0xc3, count: 600), Array("@".utf8),
                Array(":".utf8),
                Array(repeating: 65, count: 100_000),
                Array(":x!y@z PRIVMSG #dev :caf\u{e9}".unicodeScalars.map { UInt8($0.value) })
            ] {
                client.sendRaw(junk + [13, 10])
            }
            for byte in ":ada!a@h PRIVMSG #dev :marvin: ping\r\n".utf8 {
                client.sendRaw([byte])
                try await Task.sleep(for: .milliseconds(1))
            }
            try await client.expect("PONG")
            client.sendRaw(Array("\r\n\n:ada!a@h PRIVMSG #dev :marvin: say caf".utf8) + [0xe9] + Array("\n".utf8))
            try await client.expect("PRIVMSG #dev caf\u{e9}")
        }
    }

    @Test func `playback and echoes are ignored, and messages have a time`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(
                server, RegistrationScript(capabilities: ["server-time", "batch", "message-tags", "echo-message"]))
            client.send(
                "BATCH +1 chathistory #dev",
                "@batch=1 :ada!a@h PRIVMSG #dev :marvin: ping", "BATCH -1",
                ":marvin!~marvin@host.test PRIVMSG #dev :marvin: ping")
            let time = Date.now.addingTimeInterval(2)
            client.send(
                "@time=\(time.formatted(.iso8601).dropLast()).000Z;msgid=a:b :ada!a@h PRIVMSG #dev :marvin: when")
            try await client.expect("PRIVMSG #dev :\(time.formatted(.iso8601)) irc:a:b")
            client.send(":bob!b@h PRIVMSG #dev :marvin: say done")
            try await client.expect("PRIVMSG #dev done")
            #expect(!client.lines.contains { $0.contains("PONG") })
        }
    }

    @Test func `messages to the robot that were sent during an outage are answered, once`() async throws {
        let server = try ScriptedIRCServer()
        let capabilities = ["account-tag", "server-time", "batch", "message-tags", "draft/chathistory"]
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.missedMessageAge = .seconds(600)
        }
        try await withBot(Bot(configuration, admins: ["irc:ada"])) { _ in
            let first = try await enter(
                server, RegistrationScript(capabilities: capabilities, time: "2026-11-21T19:00:00.000Z"))
            first.send("@time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: ping")
            try await first.expect("PRIVMSG #dev PONG")
            first.close()
            let second = try await enter(
                server, RegistrationScript(capabilities: capabilities, time: "2026-11-21T19:02:00.000Z"))
            try await second.expect("CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z")
            second.send(
                "BATCH +h chathistory #dev",
                "@batch=h;time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: ping",
                "@batch=h;time=2026-11-21T19:01:00.000Z;msgid=b :ada!a@h PRIVMSG #dev :hello everyone",
                "@batch=h;time=2026-11-21T19:01:01.000Z;msgid=c;account=ada :ada!a@h PRIVMSG #dev :Marvin, say late",
                "@batch=h;time=2026-11-21T19:01:02.000Z;msgid=d;account=ada :ada!a@h PRIVMSG #dev :marvin: reboot",
                "BATCH -h")
            try await second.expect("PRIVMSG #dev late")
            // An admin's command is run only if it is still wanted.
            try await second.expect("PRIVMSG #dev", "I was offline when you said that")
            second.send("@account=ada :ada!a@h PRIVMSG #dev :marvin: reboot")
            try await second.expect("rebooting for irc:ada")
            second.send(":bob!b@h PRIVMSG #dev :marvin: say done")
            try await second.expect("PRIVMSG #dev done")
            #expect(!second.lines.contains { $0.contains("PONG") || $0.contains("hello") })
        }
    }

    @Test func `a ping after a hundred thousand lines is answered`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(server)
            for _ in 0..<100 {
                client.send((0..<1_000).map { ":u\($0)!u@h PRIVMSG #dev :the build is green again, so lunch in \($0)" })
            }
            client.send("PING :late")
            try await client.expect("PONG late")
            try await asks(client)
        }
    }

    @Test func `pings are answered while the inbox is full`() async throws {
        let server = try ScriptedIRCServer()
        let latch = AsyncLatch()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev", "#ops") {
            $0.timeouts.pingInterval = .milliseconds(500)
            $0.timeouts.pingTimeout = .seconds(60)
        }
        configuration.commandLimit = nil
        var limits = Robot.Limits()
        limits.concurrency = 1
        // With room for one message, another user's may be the one that is dropped.
        limits.inbox = 2
        try await withBot(Bot(configuration, limits: limits, Waiting(latch))) { bot in
            let client = try await enter(server)
            // More than any buffer holds.
            for number in 0..<10 {
                client.send((0..<1_000).map { _ in ":mallory!m@h PRIVMSG #dev :marvin: wait" })
                client.send("PING :still there \(number)")
                try await client.expect("PONG :still there \(number)")
            }
            // Another user's message still fits.
            client.send(":ada!a@h PRIVMSG #ops :marvin: ready", "PING :after that")
            try await client.expect("PONG :after that")
            latch.open()
            try await client.expect("PRIVMSG #ops :all done")
            // Whether the inbox overflows, and for how long, depends on the machine's speed.
            #expect(bot.warnings.filter { !$0.contains("the inbox is full") } == [])
        }
    }

    @Test func `excess messages are dropped and counted, and the connection survives`() async throws {
        let server = try ScriptedIRCServer()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.queueLimit = 10
            $0.rateLimit = RateLimit(burst: 1, interval: .milliseconds(20))
        }
        configuration.page = 0
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(server)
            client.send(":ada!a@h PRIVMSG #dev :marvin: count 100")
            try await bot.logs("messages dropped: the send queue is full")
            client.send("PING :1")
            try await client.expect("PONG 1")
            try await asks(client)
        }
    }

    @Test func `messages sent while disconnected are sent on the next connection`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            server.stopListening()
            client.reset()
            try await bot.logs("reconnecting in")
            let room = Room(id: Room.ID(adapter: "irc", value: "#dev"))
            try await bot.adapter.deliver(.text("where was I?"), to: Envelope(room: room))
            await #expect(throws: AdapterError.self) {
                try await bot.adapter.deliver(.topic("gone"), to: Envelope(room: room))
            }
            try server.listen()
            try await enter(server).expect("PRIVMSG #dev :where was I?")
        }
    }

    @Test func `invalid targets are rejected`() async throws {
        let adapter = IRCAdapter(.test(1), in: AdapterDependencies())
        for name in ["", "#a,#b", "#a b", ":x", "x\r\nQUIT"] {
            await #expect(throws: AdapterError(.invalidName, "\"\(name)\" isn't a valid channel or nick")) {
                try await adapter.deliver(.text("x"), to: Envelope(room: Room(id: .init(adapter: "irc", value: name))))
            }
        }
    }

    @Test func `a user over the rate limit is ignored for a while, and notified once`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        configuration.commandLimit = UserCommandRateLimit(burst: 3, interval: .seconds(2))
        let bot = Bot(configuration, timeSource: TimeSource(clock, date: { .now }))
        try await withBot(bot) { _ in
            let client = try await enter(server)
            for number in 0..<3 {
                client.send(":ada!a@h PRIVMSG #dev :marvin: say \(number)")
                // Before everything else, and to this user alone.
                if number == 2 { try await client.expect("NOTICE ada :Not so fast: I'll listen to you again in 2 s") }
                try await client.expect("PRIVMSG #dev \(number)")
            }
            client.send(":ada!a@h PRIVMSG #dev :marvin: say more", ":bob!b@h PRIVMSG #dev :marvin: say bob")
            try await client.expect("PRIVMSG #dev bob")
            clock.advance(by: .seconds(2))
            client.send(":ada!a@h PRIVMSG #dev :marvin: say again")
            try await client.expect("PRIVMSG #dev again")
            #expect(!client.lines.contains { $0.contains("say more") || $0.contains("PRIVMSG #dev more") })
        }
    }

    @Test func `a new nick doesn't reset the rate limit`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        configuration.commandLimit = UserCommandRateLimit(burst: 3, interval: .seconds(2))
        try await withBot(Bot(configuration, timeSource: TimeSource(clock, date: { .now }))) { _ in
            let client = try await enter(server)
            for number in 0..<20 { client.send(":eve\(number)!e@h PRIVMSG marvin :say \(number)") }
            client.send(":bob!b@h PRIVMSG #dev :marvin: say bob")
            try await client.expect("PRIVMSG #dev bob")
            func answers() -> Int { client.lines.count { $0.hasPrefix("PRIVMSG eve") } }
            // In a room of their own, so they may come later than bob's.
            try await wait(for: "her answers") { answers() >= 3 }
            client.send(":bob!b@h PRIVMSG #dev :marvin: say over")
            try await client.expect("PRIVMSG #dev over")
            #expect(answers() == 3, "\(client.lines)")
        }
    }

    @Test func `the rest of an answer isn't for the next user with the nick`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        try await withBot(Bot(configuration)) { _ in
            let client = try await enter(server)
            client.send(":carl!c@h PRIVMSG marvin :count 40")
            try await client.expect("more lines: say \"more\"")
            client.send(":carl!c@h QUIT :bye", ":carl!m@elsewhere PRIVMSG marvin :more")
            try await client.expect("PRIVMSG carl :That's all.")
        }
    }

    @Test func `the rest of a visible user's answer isn't for the next user with the nick, user name and host`()
        async throws
    {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            client.send(":carl!web@gateway JOIN #dev", ":carl!web@gateway PRIVMSG marvin :count 40")
            try await client.expect("more lines: say \"more\"")
            client.send(":carl!web@gateway PRIVMSG marvin :more")
            try await client.expect("more lines: say \"more\"")
            client.send(
                ":carl!web@gateway QUIT :bye", ":mal!web@gateway JOIN #dev", ":mal!web@gateway NICK carl",
                ":carl!web@gateway PRIVMSG marvin :more")
            try await client.expect("PRIVMSG carl :That's all.")
            #expect(client.lines.count { $0.contains("more lines: say \"more\"") } == 2, "\(client.lines)")
        }
    }

    /// Answers when told to.
    private struct Slow: Script {
        let name = "Slow"
        /// Signals that it was asked, and that it may answer.
        let question = AsyncStream<Void>.makeStream()
        let answer = AsyncStream<Void>.makeStream()

        func register(on robot: inout RobotBuilder) {
            robot.hear(/slow$/) { res in
                question.continuation.yield()
                for await _ in answer.stream { break }
                try await res.send("at last")
            }
        }
    }

    @Test func `a command counts against its sender, not against the next user with the nick`() async throws {
        let server = try ScriptedIRCServer()
        let slow = Slow()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        configuration.commandLimit = UserCommandRateLimit(burst: 2, interval: .seconds(3_000))
        try await withBot(Bot(configuration, TestScript.script, slow)) { _ in
            let client = try await enter(server)
            client.send(":carl!c@h PRIVMSG #dev :slow")
            for await _ in slow.question.stream { break }
            client.send(":carl!c@h QUIT :bye", ":carl!m@elsewhere PRIVMSG #dev :marvin: say one")
            try await client.expect("PRIVMSG #dev one")
            slow.answer.continuation.yield()
            try await client.expect("PRIVMSG #dev :at last")
            for words in ["m@elsewhere PRIVMSG #dev :marvin: say two", "c@h PRIVMSG #dev :marvin: say three"] {
                client.send(":carl!\(words)")
                try await client.expect("PRIVMSG #dev \(words.split(separator: " ").last ?? "")")
            }
            client.send(":carl!c@h PRIVMSG #dev :marvin: say four", ":dave!d@h PRIVMSG #dev :marvin: say five")
            try await client.expect("PRIVMSG #dev five")
            #expect(!client.lines.contains("PRIVMSG #dev four"))
        }
    }

    @Test(arguments: [
        // Out of sight.
        [],
        [":carl!m@elsewhere JOIN #dev"], [":mal!m@elsewhere NICK carl"],
        [":carl!m@elsewhere JOIN #dev", ":carl!m@elsewhere PART #dev", ":irc 353 marvin = #dev :carl"]
    ]) func `a private answer isn't for the next user with the nick`(comes: [String]) async throws {
        let server = try ScriptedIRCServer()
        let slow = Slow()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(interval: .zero)
        }
        let bot = Bot(configuration, TestScript.script, slow)
        try await withBot(bot) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            // For members who were there before, not every server reports more than the nick.
            client.send(":irc 353 marvin = #dev :mal", ":carl!c@h JOIN #dev", ":carl!c@h PRIVMSG marvin :slow")
            for await _ in slow.question.stream { break }
            client.send(":carl!c@h QUIT :bye")
            for line in comes { client.send(line) }
            client.send(":carl!m@elsewhere PRIVMSG marvin :say one")
            try await client.expect("PRIVMSG carl one")
            slow.answer.continuation.yield()
            try await wait(for: "it to be withheld") {
                bot.log.lines().contains { $0.contains("has the nick now") }
            }
            // A user who comes back from the same host is the same, as far as is known.
            client.send(":carl!m@elsewhere PRIVMSG marvin :slow")
            for await _ in slow.question.stream { break }
            slow.answer.continuation.yield()
            try await client.expect("PRIVMSG carl :at last")
            #expect(client.lines.count { $0 == "PRIVMSG carl :at last" } == 1)
        }
    }

    @Test func `pages of different answers aren't mixed`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev") {
            $0.rateLimit = RateLimit(burst: 1, interval: .milliseconds(20))
        }
        try await withBot(Bot(configuration)) { _ in
            let client = try await enter(server)
            client.send(":ada!a@h PRIVMSG marvin :count 60")
            try await client.expect("more lines: say \"more\"")
            let before = client.lines.count
            client.send(":ada!a@h PRIVMSG marvin :more", ":ada!a@h PRIVMSG marvin :say last")
            try await client.expect("PRIVMSG ada last")
            let page = client.lines.dropFirst(before).filter { $0.hasPrefix("PRIVMSG ada") }
            #expect(page.count > 5 && page.dropLast().last?.contains("more lines") == true, "\(page)")
        }
    }

    @Test func `several servers are tried in turn`() async throws {
        let (first, second) = (try ScriptedIRCServer(), try ScriptedIRCServer())
        first.stopListening()
        var configuration = IRCAdapter.ResolvedConfiguration.test(first.port, "#dev")
        configuration.servers = [
            Endpoint(host: "127.0.0.1", port: first.port), Endpoint(host: "no-such-host.invalid", port: 6667),
            Endpoint(host: "127.0.0.1", port: second.port)
        ]
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(second)
            try await asks(client)
            #expect(bot.warnings.count { $0.contains("reconnecting in") } == 2, "\(bot.warnings)")
            client.reset()
            // A server that was ready is tried again first.
            try await asks(try await enter(second))
        }
    }

    @Test func `a permanent refusal by one server doesn't delay the others`() async throws {
        let (first, second) = (try ScriptedIRCServer(), try ScriptedIRCServer())
        var configuration = IRCAdapter.ResolvedConfiguration.test(first.port, "#dev")
        configuration.servers.append(Endpoint(host: "127.0.0.1", port: second.port))
        configuration.connection.refusedRetryDelay = .seconds(900)
        try await withBot(Bot(configuration)) { bot in
            let client = try await first.accept()
            client.send("ERROR :Closing Link: marvin[host] (K-Lined)")
            client.close()
            try await asks(try await enter(second))
        }
    }

    @Test func `quitting sends queued messages first`() async throws {
        let server = try ScriptedIRCServer()
        let bot = Bot(
            .test(server.port, "#dev") { $0.rateLimit = RateLimit(burst: 1, interval: .milliseconds(50)) },
            grace: .seconds(600))
        let client = try await enter(server)
        try await bot.isUp()
        client.send(":ada!a@h PRIVMSG #dev :marvin: count 5")
        try await client.expect("PRIVMSG #dev 1")
        let stopping = Task { try await bot.stop() }
        try await client.expect("PRIVMSG #dev 5")
        try await client.expect("QUIT Bye")
        try await client.expectEnd()
        client.close()
        try await stopping.value
    }

    @Test func `quitting doesn't wait for a long queue`() async throws {
        let server = try ScriptedIRCServer()
        let bot = Bot(.test(server.port, "#dev") { $0.rateLimit = RateLimit(burst: 1, interval: .seconds(60)) })
        let client = try await enter(server)
        try await bot.isUp()
        client.send(":ada!a@h PRIVMSG #dev :marvin: count 5")
        let stopping = Task { try await bot.stop() }
        try await client.expect("QUIT Bye")
        try await client.expectEnd()
        client.close()
        try await stopping.value
    }

    @Test func `reconnect delays grow to a limit, and are reset after a stable time`() async throws {
        let server = try ScriptedIRCServer()
        server.stopListening()
        let clock = ManualClock()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        configuration.connection.reconnect = .init()
        let bot = Bot(configuration, timeSource: TimeSource(clock, date: { .now }))
        try await withBot(bot) { bot in
            var longest: Duration = .seconds(2)
            for attempt in 1...12 {
                try await wait(for: "attempt \(attempt)") { self.waits(bot).count == attempt }
                let wait = waits(bot)[attempt - 1]
                #expect(
                    wait >= longest / 2 - .milliseconds(501) && wait <= longest + .milliseconds(501),
                    "\(attempt): \(wait)")
                // Not a moment too early.
                let end = clock.now.offset + wait
                func isMeant(_ time: Duration) -> Bool { abs((time - end) / .milliseconds(1)) <= 501 }
                try await clock.waitForSleeper(where: isMeant)
                clock.advance(by: wait - .milliseconds(600))
                try await clock.waitForSleeper(where: isMeant)
                #expect(waits(bot).count == attempt)
                if attempt == 12 { try server.listen() }
                clock.advance(by: .milliseconds(1_200))
                longest = min(longest * 2, .seconds(300))
            }
            var client = try await enter(server)
            try await bot.isUp()
            // It was up only briefly, so the delay doesn't shrink.
            client.reset()
            try await wait(for: "the drop") { self.waits(bot).count == 13 }
            #expect(waits(bot)[12] >= .seconds(149))
            clock.advance(by: .seconds(301))
            client = try await enter(server)
            try await bot.isUp()
            // Now for long enough.
            clock.advance(by: .seconds(60))
            client.reset()
            try await wait(for: "the next drop") { self.waits(bot).count == 14 }
            #expect(waits(bot)[13] <= .seconds(2))
            // One warning for each outage, whatever was tried.
            #expect(bot.warnings.count == 3, "\(bot.warnings)")
        }
    }

    /// The delays that it logged before reconnecting, in order.
    private func waits(_ bot: Bot) -> [Duration] {
        bot.log.lines().compactMap { line in
            line.firstMatch(of: /reconnecting in ([0-9.]+) s/).flatMap { Double($0.1) }.map { .seconds($0) }
        }
    }
}

/// Doesn't answer until told to.
struct Waiting: Script {
    private let latch: AsyncLatch

    init(_ latch: AsyncLatch) { self.latch = latch }

    let name = "Waiting"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/wait$/) { [latch] _ in await latch.wait() }
        robot.respond(/ready$/) { res in try await res.send("all done") }
    }
}
