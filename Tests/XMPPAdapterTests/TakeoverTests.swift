import FoundationEssentials
import HeybotTesting
import Logging
import NetworkAdapter
import TestServers
import Testing

@testable import Heybot
@testable import HeybotXMPP
@testable import XMPPAdapter

/// What a robot does for one that was killed.
@Suite(.serialized, .timeLimit(.minutes(15))) struct TakeoverTests {
    private let key = BrainKey<RobotRun>("xmpp.run.marvin@xmpp.test")
    private let brain = Brain(store: MemoryStore())

    private func configuration(_ server: XMPPServer, room: String) throws -> XMPPAdapter.ResolvedConfiguration {
        try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile, rooms: [room]) {
            $0.missedMessageAge = .seconds(600)
            $0.isKeptAtStop = true
        }
    }

    private func keeper(_ account: String = "marvin@xmpp.test") throws -> RobotRunKeeper {
        RobotRunKeeper(of: "xmpp", account: try JID(account), in: brain, logger: TestLog().logger)
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    /// Begins a run, and returns since when the robot takes over commands, in seconds.
    private func begin(_ keeper: RobotRunKeeper, at seconds: Double, since: Double? = nil) async -> Double? {
        await keeper.begin(
            since: date(since ?? seconds), notBefore: date(seconds - 600), at: date(seconds))?.since
            .timeIntervalSince1970
    }

    @Test(arguments: XMPPServer.Software.installed)
    func `what was said to killed robots is answered once, even if that takes several`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software, hasArchive: true)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let configuration = try configuration(server, room: room)
        let (ada, began) = try await withBot(Bot(configuration, grace: .testLimit, brain: brain)) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            ada.say("marvin: say before", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>before</body>")
            return (ada, Date())
        }
        for text in ["one", "two"] {
            ada.say("marvin: say \(text) in public", in: room)
            ada.tell("marvin@xmpp.test", "say \(text) in private")
            try await ada.expect("from='\(room)/Ada'", "<body>marvin: say \(text) in public</body>")
        }
        // As if the robot had been killed while it was stopping, and another one before it could ask an archive.
        try await brain.open()
        try await brain.remember(key, RobotRun(id: "killed", since: began))
        #expect(try await brain.recall(BrainKey<StoredSession>("xmpp.session")) != nil)
        // Five minutes later.
        let timeSource = TimeSource(ContinuousClock(), date: { .now + 300 })
        try await withBot(Bot(configuration, timeSource: timeSource, grace: .testLimit, brain: brain)) { bot in
            try await bot.isUp()
            try await wait(for: "the answers; log: \(bot.log.lines().suffix(20))") {
                ["one in public", "two in public", "one in private", "two in private"].allSatisfy { text in
                    ada.received.contains { $0.contains("<body>\(text)</body>") }
                }
            }
            let attempts = try await brain.recall(key)?.attempts.mapValues(\.count) ?? [:]
            #expect(attempts.count == 4 && attempts.values.allSatisfy { $0 == 1 }, "\(attempts)")
            ada.say("marvin: say the end", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>the end</body>")
            for text in ["before", "one in public", "two in public", "one in private", "two in private"] {
                #expect(ada.received.count { $0.contains("<body>\(text)</body>") } == 1, "\(text)")
            }
        }
        // It has ended by itself.
        try await brain.open()
        #expect(try await brain.recall(key) == nil)
    }

    @Test func `that a robot was killed is known until one ends by itself`() async throws {
        try await brain.open()
        let (killed, second, third) = (try keeper("marvin@xmpp.test/r1"), try keeper(), try keeper())
        #expect(await begin(killed, at: 1_000) == nil)
        #expect(await begin(second, at: 1_100) == 1_000)
        await second.end(.complete)
        #expect(await begin(third, at: 1_200, since: 1_150) == nil)
        // A robot that runs on isn't forgotten when an earlier one ends.
        await second.end(.complete)
        #expect(await begin(second, at: 1_300) == 1_150)
        // What a killed robot hasn't taken over yet is for the next one, unless it is too old.
        #expect(await begin(third, at: 1_400) == 1_150)
        #expect(await begin(second, at: 2_000) == 1_400)
        // The clock may be set back.
        #expect(await begin(second, at: 1_300) == 1_300)
        // A robot that has lost its session at the stop leaves as much as a killed one.
        await second.end(.sessionLost)
        #expect(await begin(third, at: 1_310) == 1_300)
        // A robot with another account has nothing to do with it.
        #expect(await begin(try keeper("zaphod@xmpp.test"), at: 2_000) == nil)
    }

    @Test func `commands that were handled aren't taken over`() async throws {
        try await brain.open()
        let (killed, second) = (try keeper(), try keeper())
        #expect(await begin(killed, at: 1_000) == nil)
        await killed.recordHandled(before: date(1_100), notBefore: date(500))
        await killed.recordHandled(before: date(1_050), notBefore: date(500))
        #expect(await begin(second, at: 1_200) == 1_100)
        // The robot runs no more.
        await killed.recordHandled(before: date(1_190), notBefore: date(500))
        #expect(await begin(try keeper(), at: 1_200) == 1_100)
    }

    @Test func `how many robots have handled a command is known until it is too old`() async throws {
        try await brain.open()
        func attempts(_ keeper: RobotRunKeeper, at seconds: Double) async -> [String: Int]? {
            await keeper.begin(since: date(seconds), notBefore: date(seconds - 600), at: date(seconds))?
                .attempts.mapValues(\.count)
        }
        func record(_ ids: [String], in archive: String = "a", by keeper: RobotRunKeeper, at seconds: Double) async {
            let commands = ids.map { RobotRun.Command(archive: archive, id: $0) }
            await keeper.recordAttempts(commands, at: date(seconds), notBefore: date(seconds - 600))
        }
        let (first, second, third) = (try keeper(), try keeper(), try keeper())
        #expect(await attempts(first, at: 1_000) == nil)
        await record(["1", "2", "2"], by: first, at: 1_001)
        // Attempts of the same robot are one.
        await record(["1"], by: first, at: 1_002)
        #expect(await attempts(second, at: 1_100) == ["a 1": 1, "a 2": 1])
        await record(["2"], by: second, at: 1_101)
        await record(["2"], in: "b", by: second, at: 1_101)
        #expect(await attempts(third, at: 1_200) == ["a 1": 1, "a 2": 2, "b 2": 1])
        #expect(await attempts(first, at: 1_650) == ["a 2": 2, "b 2": 1])
        // A robot that ends by itself wasn't killed by a command.
        await record(["3"], by: first, at: 1_651)
        await first.end(.takingOver)
        #expect(await attempts(second, at: 1_652) == ["a 2": 2, "b 2": 1, "a 3": 0])
        await record((1...3_000).map { "\($0)" }, by: second, at: 1_653)
        #expect(await attempts(third, at: 1_654)?.count == 2_000)
        await third.end(.complete)
        #expect(await attempts(first, at: 1_655) == nil)
    }

    @Test func `what was heard counts as handled after a while, once nothing is left to take over`() async throws {
        try await brain.open()
        let server = try ScriptedXMPPServer()
        let (clock, start) = (ManualClock(), Date(timeIntervalSince1970: 1_000_000_000))
        let began = clock.now
        @Sendable func elapsed() -> Double { began.duration(to: clock.now) / .seconds(1) }
        /// Returns the time before which everything is handled.
        func handled() async throws -> Double? { try await brain.recall(key)?.since.timeIntervalSince(start) }
        let timeSource = TimeSource(clock) { start + elapsed() }
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port) {
            $0.missedMessageAge = .seconds(600)
            ($0.timeouts.pingInterval, $0.timeouts.response) = (.seconds(60), .hours(100))
        }
        try await brain.remember(key, RobotRun(id: "killed", since: start - 300))
        try await withBot(Bot(configuration, timeSource: timeSource, brain: brain)) { bot in
            let client = try await server.accept()
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await bot.isUp()
            #expect(try await handled() == -300)
            for text in ["one", "two"] {
                let said = elapsed()
                client.tell("say \(text)", from: "ada@xmpp.test/x")
                try await client.expect("<body>\(text)</body>")
                while try await handled() ?? .infinity < said + 15 {
                    clock.advance(by: .seconds(10))
                    try await Task.sleep(for: .milliseconds(5))
                }
                let before = try await handled() ?? .infinity
                #expect(before <= elapsed() - 60)
            }
        }
    }
}
