import FoundationEssentials
import HeybotTesting
import NetworkAdapter
import Synchronization
import TestServers
import Testing

@testable import Heybot
@testable import HeybotIRC
@testable import IRCAdapter

/// A robot that is stopped or killed, and started again, on a server that keeps messages (IRCv3 chathistory).
@Suite(.timeLimit(.minutes(15))) struct RestartTests {
    private static let key = BrainKey<StoredHistoryMark>("irc.history")

    private func configuration(_ port: Int) -> IRCAdapter.ResolvedConfiguration {
        .test(port, "#dev") { $0.missedMessageAge = .seconds(600) }
    }

    /// Accepts a robot at a time, and waits until it is in its channel.
    private func enter(_ server: ScriptedIRCServer, at time: String) async throws -> AcceptedIRCClient {
        let client = try await server.accept()
        client.answerJoins(of: "marvin!~marvin@host.test")
        client.answerPings()
        let capabilities = ["account-tag", "server-time", "batch", "message-tags", "draft/chathistory"]
        _ = try await client.welcome(RegistrationScript(capabilities: capabilities, time: "2026-11-21T\(time).000Z"))
        return client
    }

    @Test func `what was said to the robot while it was stopped is answered once`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        // A client that is released closes its connection, and the robot would connect again before it is stopped.
        let first = try await withBot(Bot(configuration(server.port), grace: .testLimit, brain: brain)) { _ in
            let client = try await enter(server, at: "19:00:00")
            client.send("@time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: ping")
            try await client.expect("PRIVMSG #dev", "PONG")
            return client
        }
        try await first.expectEnd()
        for (start, time, text) in [
            ("19:00:05.000Z", "19:02:00", "the first restart"), ("19:02:00.000Z", "19:03:00", "the second restart")
        ] {
            let last = try await withBot(Bot(configuration(server.port), grace: .testLimit, brain: brain)) { _ in
                let client = try await enter(server, at: time)
                try await client.expect("CHATHISTORY AFTER #dev timestamp=2026-11-21T\(start)")
                let sent = "2026-11-21T\(time.dropLast(2))00.000Z"
                client.send(
                    "BATCH +h chathistory #dev",
                    "@batch=h;time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: ping",
                    "@batch=h;time=\(sent);msgid=\(start) :ada!a@h PRIVMSG #dev :marvin: say \(text)", "BATCH -h")
                try await client.expect("PRIVMSG #dev", text)
                client.send(":bob!b@h PRIVMSG #dev :marvin: say done")
                try await client.expect("PRIVMSG #dev", "done")
                #expect(!client.lines.contains { $0.contains("PONG") })
                return client
            }
            try await last.expectEnd()
        }
    }

    @Test func `what arrives while the robot finishes its work is answered after the restart`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        let latch = AsyncLatch()
        let bot = Bot(configuration(server.port), grace: .testLimit, brain: brain, Waiting(latch))
        try await withBot(bot) { bot in
            let client = try await enter(server, at: "19:00:00")
            try await bot.isUp()
            client.send(
                "@time=2026-11-21T19:00:05.000Z;msgid=a :ada!a@h PRIVMSG #dev :marvin: wait", "PING :before the stop")
            try await client.expect("PONG :before the stop")
            bot.robot.stop()
            client.send(
                "@time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: ready", "PING :after the stop")
            try await client.expect("PONG :after the stop")
            latch.open()
            try await client.expect("QUIT")
            #expect(!client.lines.contains { $0.contains("all done") })
        }
        try await withBot(Bot(configuration(server.port), brain: brain, Waiting(latch))) { _ in
            let client = try await enter(server, at: "19:02:00")
            try await client.expect("CHATHISTORY AFTER #dev timestamp=2026-11-21T19:00:05.000Z")
            client.send(
                "BATCH +h chathistory #dev",
                "@batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: ready", "BATCH -h")
            try await client.expect("PRIVMSG #dev", "all done")
        }
    }

    @Test func `what a killed robot hasn't answered is answered once`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let time = "2026-11-21T19:00:05.000Z"
        try await brain.remember(
            Self.key, StoredHistoryMark(last: time, channels: ["#dev": time], mayBeAnswered: true))
        try await withBot(Bot(configuration(server.port), grace: .testLimit, brain: brain)) { _ in
            let client = try await enter(server, at: "19:02:00")
            try await client.expect("CHATHISTORY AFTER #dev timestamp=\(time)")
            client.send(
                "BATCH +h chathistory #dev",
                "@batch=h;time=2026-11-21T19:00:06.000Z;msgid=b :ada!a@h PRIVMSG #dev :marvin: ping",
                "@batch=h;time=2026-11-21T19:00:07.000Z;msgid=c :ada!a@h PRIVMSG #dev :marvin: say late",
                "@batch=h;time=2026-11-21T19:00:08.000Z;+draft/reply=b :marvin!m@h PRIVMSG #dev :PONG", "BATCH -h",
                "BATCH +t draft/chathistory-targets", "BATCH -t")
            try await client.expect("PRIVMSG #dev", "late")
            client.send(":bob!b@h PRIVMSG #dev :marvin: say done")
            try await client.expect("PRIVMSG #dev", "done")
            #expect(!client.lines.contains { $0.contains("PONG") })
        }
        // This one has ended by itself.
        try await brain.open()
        #expect(try await brain.recall(Self.key)?.mayBeAnswered == false)
    }

    @Test func `a mark is stored every few seconds, as it was one round before`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let clock = ManualClock()
        let keeper = StoredHistoryKeeper(of: "irc", in: brain, logger: TestLog().logger)
        let marks = MarkSource()
        let storing = Task {
            await keeper.keepStoring(TimeSource(clock, date: { .now })) {
                marks.rounds.withLock { $0 += 1 }
                return StoredHistoryMark(
                    last: "\(marks.current.withLock { $0 })", channels: [:], mayBeAnswered: false)
            }
        }
        defer { storing.cancel() }
        func pass(_ round: Int) async throws {
            let due = StoredHistoryKeeper.interval * round
            try await clock.waitForSleeper { $0 == due }
            clock.advance(by: StoredHistoryKeeper.interval)
            try await wait(for: "round \(round)") { marks.rounds.withLock { $0 } == round }
        }
        try await pass(1)
        #expect(try await brain.recall(Self.key) == nil)
        marks.current.withLock { $0 = 2 }
        try await pass(2)
        #expect(
            try await brain.recall(Self.key)
                == StoredHistoryMark(last: "1", channels: [:], mayBeAnswered: true))
        try await pass(3)
        #expect(try await brain.recall(Self.key)?.last == "2")
    }

    @Test func `a process that is killed right after its start leaves a mark that says so`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let keeper = StoredHistoryKeeper(of: "irc", in: brain, logger: TestLog().logger)
        #expect(await keeper.recall() == nil)
        let mark = StoredHistoryMark(last: "2026-11-21T19:00:05.000Z", channels: [:], mayBeAnswered: false)
        await keeper.storeLast(mark)
        #expect(await keeper.recall() == mark)
        #expect(await keeper.recall()?.mayBeAnswered == true)
        await keeper.storeLast(nil)
        #expect(await keeper.recall() == nil)
    }
}

/// The marks that a test stores.
private final class MarkSource: Sendable {
    let current = Mutex(1)
    let rounds = Mutex(0)
}
