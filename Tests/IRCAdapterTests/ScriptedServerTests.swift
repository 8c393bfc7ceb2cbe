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

/// What servers do that real ones do rarely.
@Suite(.timeLimit(.minutes(15))) struct ScriptedServerTests {
    private func enter(_ server: ScriptedIRCServer, _ registration: Registration = Registration()) async throws
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

    @Test func `SCRAM, against a server that proves what it knows`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.Setup.test(server.port, "#dev") {
            $0.account = Credentials(account: "marvin", password: "pencil")
            $0.loginFailure = .leave
        }
        try await withBot(Bot(configuration)) { _ in
            let client = try await server.accept()
            client.answerJoins(of: "marvin!~marvin@host.test")
            let registered = try await client.welcome(
                Registration(
                    capabilities: ["sasl=SCRAM-SHA-256,PLAIN", "server-time"], login: ("marvin", "pencil")))
            #expect(registered.mechanism == "SCRAM-SHA-256")
            #expect(registered.account == "marvin")
            try await asks(client)
        }
    }

    @Test func `bytes that are no text, lines that are no lines, and lines in pieces`() async throws {
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

    @Test func `history and echoes are no commands, and a message says when it was said`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(
                server, Registration(capabilities: ["server-time", "batch", "message-tags", "echo-message"]))
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

    @Test func `a hundred thousand lines at once, and a ping behind them`() async throws {
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

    @Test func `pings are answered while the robot can't keep up, however long that takes`() async throws {
        let server = try ScriptedIRCServer()
        let gate = Gate()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev", "#ops") {
            $0.waits.silence = .milliseconds(500)
            $0.waits.answer = .seconds(60)
        }
        configuration.commandLimit = nil
        var limits = Robot.Limits()
        limits.concurrency = 1
        limits.inbox = 1
        try await withBot(Bot(configuration, limits: limits, Waiting(gate))) { bot in
            let client = try await enter(server)
            // More than finds room anywhere.
            for number in 0..<10 {
                client.send((0..<1_000).map { _ in ":mallory!m@h PRIVMSG #dev :marvin: wait" })
                client.send("PING :still there \(number)")
                try await client.expect("PONG :still there \(number)")
            }
            // Somebody else's finds room all the same.
            client.send(":ada!a@h PRIVMSG #ops :marvin: ready", "PING :after that")
            try await client.expect("PONG :after that")
            gate.open()
            try await client.expect("PRIVMSG #ops :all done")
            // Whether some were too many for the inbox depends on how fast the robot drops them behind it.
            #expect(bot.warnings.count <= 1 && bot.warnings.allSatisfy { $0.contains("some messages go unheard") })
        }
    }

    @Test func `a line too many is lost and counted, the connection never`() async throws {
        let server = try ScriptedIRCServer()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev") {
            $0.queueLimit = 10
            $0.pace = Pace(burst: 1, interval: .milliseconds(20))
        }
        configuration.page = 0
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(server)
            client.send(":ada!a@h PRIVMSG #dev :marvin: count 100")
            try await bot.logs("messages lost: too much was waiting to be said")
            client.send("PING :1")
            try await client.expect("PONG 1")
            try await asks(client)
        }
    }

    @Test func `what is said between two connections is said on the next`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            server.stopListening()
            client.reset()
            try await bot.logs("connecting again")
            let room = Room(id: Room.ID(adapter: "irc", value: "#dev"))
            try await bot.adapter.deliver(.text("where was I?"), to: Envelope(room: room))
            await #expect(throws: AdapterError.self) {
                try await bot.adapter.deliver(.topic("gone"), to: Envelope(room: room))
            }
            try server.listen()
            try await enter(server).expect("PRIVMSG #dev :where was I?")
        }
    }

    @Test func `nothing can be said to what is no channel and nobody`() async throws {
        let adapter = IRCAdapter(.test(1), in: AdapterEnvironment())
        for name in ["", "#a,#b", "#a b", ":x", "x\r\nQUIT"] {
            await #expect(throws: AdapterError(.badName, "\"\(name)\" can't be a channel or somebody's nick")) {
                try await adapter.deliver(.text("x"), to: Envelope(room: Room(id: .init(adapter: "irc", value: name))))
            }
        }
    }

    @Test func `who asks too much isn't heard for a while, and is told so once`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev") { $0.pace = Pace(interval: .zero) }
        configuration.commandLimit = CommandLimit(burst: 3, interval: .seconds(2))
        let bot = Bot(configuration, timeline: Timeline(clock, date: { .now }))
        try await withBot(bot) { _ in
            let client = try await enter(server)
            for number in 0..<3 {
                client.send(":ada!a@h PRIVMSG #dev :marvin: say \(number)")
                // Before all else, and to nobody else.
                if number == 2 { try await client.expect("NOTICE ada :not so fast; I'll listen to you again in 2 s") }
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

    @Test func `a new nick is no new allowance`() async throws {
        let server = try ScriptedIRCServer()
        let clock = ManualClock()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev") { $0.pace = Pace(interval: .zero) }
        configuration.commandLimit = CommandLimit(burst: 3, interval: .seconds(2))
        try await withBot(Bot(configuration, timeline: Timeline(clock, date: { .now }))) { _ in
            let client = try await enter(server)
            for number in 0..<20 { client.send(":eve\(number)!e@h PRIVMSG marvin :say \(number)") }
            client.send(":bob!b@h PRIVMSG #dev :marvin: say bob")
            try await client.expect("PRIVMSG #dev bob")
            client.send("PING :over")
            try await client.expect("PONG over")
            let answers = client.lines.count { $0.hasPrefix("PRIVMSG eve") }
            #expect(answers == 3, "\(client.lines)")
        }
    }

    @Test func `what is left of an answer isn't for the next who takes the nick`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.Setup.test(server.port, "#dev") { $0.pace = Pace(interval: .zero) }
        try await withBot(Bot(configuration)) { _ in
            let client = try await enter(server)
            client.send(":carl!c@h PRIVMSG marvin :count 40")
            try await client.expect("more lines: say more")
            client.send(":carl!c@h QUIT :bye", ":carl!m@elsewhere PRIVMSG marvin :more")
            try await client.expect("PRIVMSG carl :There is no more.")
        }
    }

    /// Answers when it is told to.
    private struct Slow: Script {
        let name = "Slow"
        /// That it was asked, and that it may answer.
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

    @Test func `what somebody asked counts against them, not against the next who takes the nick`() async throws {
        let server = try ScriptedIRCServer()
        let slow = Slow()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev") { $0.pace = Pace(interval: .zero) }
        configuration.commandLimit = CommandLimit(burst: 2, interval: .seconds(3_000))
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
        [":carl!m@elsewhere JOIN #dev"], [":mal!m@elsewhere NICK carl"],
        [":carl!m@elsewhere JOIN #dev", ":carl!m@elsewhere PART #dev", ":irc 353 marvin = #dev :carl"]
    ]) func `a private answer isn't for the next who takes the nick`(comes: [String]) async throws {
        let server = try ScriptedIRCServer()
        let slow = Slow()
        let configuration = IRCAdapter.Setup.test(server.port, "#dev") { $0.pace = Pace(interval: .zero) }
        let bot = Bot(configuration, TestScript.script, slow)
        try await withBot(bot) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            // Of whom was there before, not every server tells more than the nick.
            client.send(":irc 353 marvin = #dev :mal", ":carl!c@h JOIN #dev", ":carl!c@h PRIVMSG marvin :slow")
            for await _ in slow.question.stream { break }
            client.send(":carl!c@h QUIT :bye")
            for line in comes { client.send(line) }
            client.send(":carl!m@elsewhere PRIVMSG marvin :say one")
            try await client.expect("PRIVMSG carl one")
            slow.answer.continuation.yield()
            try await wait(for: "it to be withheld") {
                bot.log.lines().contains { $0.contains("is somebody else's now") }
            }
            // Who comes back from the same place is the same, as far as can be told.
            client.send(":carl!m@elsewhere PRIVMSG marvin :slow")
            for await _ in slow.question.stream { break }
            slow.answer.continuation.yield()
            try await client.expect("PRIVMSG carl :at last")
            #expect(client.lines.count { $0 == "PRIVMSG carl :at last" } == 1)
        }
    }

    @Test func `a page that was asked for isn't mixed with the next answer`() async throws {
        let server = try ScriptedIRCServer()
        let configuration = IRCAdapter.Setup.test(server.port, "#dev") {
            $0.pace = Pace(burst: 1, interval: .milliseconds(20))
        }
        try await withBot(Bot(configuration)) { _ in
            let client = try await enter(server)
            client.send(":ada!a@h PRIVMSG marvin :count 60")
            try await client.expect("more lines: say more")
            let before = client.lines.count
            client.send(":ada!a@h PRIVMSG marvin :more", ":ada!a@h PRIVMSG marvin :say last")
            try await client.expect("PRIVMSG ada last")
            let page = client.lines.dropFirst(before).filter { $0.hasPrefix("PRIVMSG ada") }
            #expect(page.count > 5 && page.dropLast().last?.contains("more lines") == true, "\(page)")
        }
    }

    @Test func `several servers, each in its turn`() async throws {
        let (first, second) = (try ScriptedIRCServer(), try ScriptedIRCServer())
        first.stopListening()
        var configuration = IRCAdapter.Setup.test(first.port, "#dev")
        configuration.servers = [
            Endpoint(host: "127.0.0.1", port: first.port), Endpoint(host: "no-such-host.invalid", port: 6667),
            Endpoint(host: "127.0.0.1", port: second.port)
        ]
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(second)
            try await asks(client)
            #expect(bot.warnings.count { $0.contains("connecting again") } == 2, "\(bot.warnings)")
            client.reset()
            // One that had us is gone back to.
            try await asks(try await enter(second))
        }
    }

    @Test func `a server that turns us away for long doesn't keep us from another`() async throws {
        let (first, second) = (try ScriptedIRCServer(), try ScriptedIRCServer())
        var configuration = IRCAdapter.Setup.test(first.port, "#dev")
        configuration.servers.append(Endpoint(host: "127.0.0.1", port: second.port))
        configuration.connection.refusedWait = .seconds(900)
        try await withBot(Bot(configuration)) { bot in
            let client = try await first.accept()
            client.send("ERROR :Closing Link: marvin[host] (K-Lined)")
            client.close()
            try await asks(try await enter(second))
        }
    }

    @Test func `leaving says what is still to be said, and then goodbye`() async throws {
        let server = try ScriptedIRCServer()
        let bot = Bot(
            .test(server.port, "#dev") { $0.pace = Pace(burst: 1, interval: .milliseconds(50)) }, grace: .seconds(60))
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

    @Test func `leaving doesn't wait for what would take long to say`() async throws {
        let server = try ScriptedIRCServer()
        let bot = Bot(.test(server.port, "#dev") { $0.pace = Pace(burst: 1, interval: .seconds(60)) })
        let client = try await enter(server)
        try await bot.isUp()
        client.send(":ada!a@h PRIVMSG #dev :marvin: count 5")
        let stopping = Task { try await bot.stop() }
        try await client.expect("QUIT Bye")
        try await client.expectEnd()
        client.close()
        try await stopping.value
    }

    @Test func `the real schedule: longer each time, to a limit, and anew after a stable time`() async throws {
        let server = try ScriptedIRCServer()
        server.stopListening()
        let clock = ManualClock()
        var configuration = IRCAdapter.Setup.test(server.port, "#dev")
        configuration.connection.reconnect = .init()
        let bot = Bot(configuration, timeline: Timeline(clock, date: { .now }))
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
            // It was up for a moment only, so the next wait is as long as the last.
            client.reset()
            try await wait(for: "the drop") { self.waits(bot).count == 13 }
            #expect(waits(bot)[12] >= .seconds(149))
            clock.advance(by: .seconds(301))
            client = try await enter(server)
            try await bot.isUp()
            // And now for long enough.
            clock.advance(by: .seconds(60))
            client.reset()
            try await wait(for: "the next drop") { self.waits(bot).count == 14 }
            #expect(waits(bot)[13] <= .seconds(2))
            // Told once for each outage, whatever was tried in it.
            #expect(bot.warnings.count == 3, "\(bot.warnings)")
        }
    }

    /// How long it said it would wait before connecting again, in order.
    private func waits(_ bot: Bot) -> [Duration] {
        bot.log.lines().compactMap { line in
            line.firstMatch(of: /connecting again in ([0-9.]+) s/).flatMap { Double($0.1) }.map { .seconds($0) }
        }
    }
}

/// Answers nobody until it is told to.
struct Waiting: Script {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    let name = "Waiting"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/wait$/) { [gate] _ in await gate.wait() }
        robot.respond(/ready$/) { res in try await res.send("all done") }
    }
}
