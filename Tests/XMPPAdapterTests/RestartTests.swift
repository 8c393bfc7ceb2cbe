import FoundationEssentials
import HeybotTesting
import Logging
import NetworkAdapter
import TestServers
import Testing

@testable import Heybot
@testable import HeybotXMPP
@testable import XMPPAdapter

/// A robot that is stopped and started again while its session stays open (XEP-0198).
@Suite(.serialized, .timeLimit(.minutes(15))) struct RestartTests {
    private func configuration(
        _ port: Int, caFile: String? = nil, room: String
    ) throws -> XMPPAdapter.ResolvedConfiguration {
        try XMPPAdapter.ResolvedConfiguration.test(port, caFile: caFile, rooms: [room]) {
            $0.missedMessageAge = .seconds(600)
            $0.isKeptAtStop = true
        }
    }

    @Test(arguments: XMPPServer.Software.installed)
    func `nobody in the room sees the restart, and what was said meanwhile is answered once`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let brain = Brain(store: MemoryStore())
        let configuration = try configuration(server.port, caFile: server.caFile, room: room)
        let ada = try await withBot(Bot(configuration, grace: .testLimit, brain: brain)) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            try await ada.expect("<body>welcome, Ada</body>")
            ada.say("marvin: say before", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>before</body>")
            return ada
        }
        ada.say("marvin: say meanwhile in public", in: room)
        ada.tell("marvin@xmpp.test", "say meanwhile in private")
        try await ada.expect("from='\(room)/Ada'", "<body>marvin: say meanwhile in public</body>")
        try await withBot(Bot(configuration, brain: brain)) { bot in
            try await bot.logs("resumed the session")
            try await wait(for: "the answers; log: \(bot.log.lines().suffix(20))") {
                ["in public", "in private"].allSatisfy { place in
                    ada.received.contains { $0.contains("<body>meanwhile \(place)</body>") }
                }
            }
            // The robot finds out again who is there.
            let address = try JID(room)
            try await wait(for: "the list of occupants; log: \(bot.log.lines().suffix(20))") {
                bot.adapter.driver.withLock { $0.users(in: address).map(\.name) } == ["Ada"]
            }
            ada.say("marvin: say the end", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>the end</body>")
            for text in ["welcome, Ada", "before", "meanwhile in public", "meanwhile in private"] {
                #expect(ada.received.count { $0.contains("<body>\(text)</body>") } == 1, "\(text)")
            }
            #expect(!ada.received.contains { $0.hasPrefix("<presence") && $0.contains("type='unavailable'") })
        }
    }

    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"), lastFeatures: "<sm xmlns='urn:xmpp:sm:3'/>")

    /// Lets a robot log in at a server with stream management, and waits until it is in its room.
    private func welcome(_ bot: Bot, at server: ScriptedXMPPServer) async throws -> AcceptedXMPPClient {
        let client = try await server.accept()
        client.acknowledgeStanzas()
        client.answerJoins(others: ["ada"])
        client.answerRequests()
        try await client.logIn(login)
        try await bot.isUp()
        return client
    }

    /// Starts and stops a robot.
    ///
    /// - Returns: Its connection, after the end.
    private func run(
        _ configuration: XMPPAdapter.ResolvedConfiguration, on server: ScriptedXMPPServer, brain: Brain
    ) async throws -> AcceptedXMPPClient {
        let bot = Bot(configuration, grace: .testLimit, brain: brain)
        let client = try await withBot(bot) { try await welcome($0, at: server) }
        try await client.expectEnd()
        return client
    }

    @Test func `the next robot resumes the session, and no other one after it`() async throws {
        let server = try ScriptedXMPPServer()
        let brain = Brain(store: MemoryStore())
        var configuration = try configuration(server.port, room: room)
        let first = try await run(configuration, on: server, brain: brain)
        #expect(!first.received.contains { $0.contains("</stream:stream>") || $0.contains("unavailable") })
        #expect(first.received.last?.hasPrefix("<a ") == true)
        // The next one leaves at its end.
        configuration.session.isKeptAtStop = false
        let count = first.stanzaCount
        try await withBot(Bot(configuration, brain: brain)) { bot in
            let client = try await server.accept()
            client.acknowledgeStanzas(after: count)
            client.answerRequests()
            var login = login
            login.resumption = "<resumed xmlns='urn:xmpp:sm:3' previd='session-1' h='\(count)'/>"
            try await client.logIn(login)
            try await bot.logs("resumed the session")
            try await bot.isUp()
            let resume = try #require(client.received.first { $0.hasPrefix("<resume") })
            #expect(attribute("previd", of: resume) == "session-1")
            client.say("marvin: ping", as: "ada", in: room)
            try await client.expect("<body>PONG</body>")
        }
        let third = try await run(configuration, on: server, brain: brain)
        #expect(!third.received.contains { $0.hasPrefix("<resume") })
        #expect(third.received.contains { $0.contains("unavailable") })
    }

    @Test func `a robot that isn't going to be restarted leaves`() async throws {
        let server = try ScriptedXMPPServer()
        let bot = Bot(try configuration(server.port, room: room), brain: Brain(store: MemoryStore()))
        let client = try await withBot(bot) { bot in
            let client = try await welcome(bot, at: server)
            bot.adapter.leaveAtStop()
            return client
        }
        try await client.expectEnd()
        #expect(client.received.contains { $0.contains("type='unavailable'") })
    }

    @Test func `what arrives while the robot is being stopped doesn't count as handled`() async throws {
        let server = try ScriptedXMPPServer()
        let latch = AsyncLatch()
        let script = NetworkScript(long: "") { robot in
            robot.respond(/work$/) { res in
                try await res.send("working")
                await latch.wait()
            }
        }
        let request = "<r xmlns='urn:xmpp:sm:3'/>"
        let bot = Bot(try configuration(server.port, room: room), grace: .seconds(600), scripts: [script])
        try await withBot(bot) { bot in
            let client = try await welcome(bot, at: server)
            client.say("marvin: work", as: "ada", in: room)
            try await client.expect("<body>working</body>")
            client.send(request)
            let before = try await client.expect("<a ")
            bot.robot.stop()
            client.say("marvin: work", as: "ada", in: room)
            client.send(request)
            let after = try await client.expect("<a ")
            #expect(attribute("h", of: after) == attribute("h", of: before))
            latch.open()
        }
    }

    @Test func `if the session is lost while the robot is being stopped, that is left to the next one as after a kill`()
        async throws
    {
        let server = try ScriptedXMPPServer()
        let (brain, latch) = (Brain(store: MemoryStore()), AsyncLatch())
        let script = NetworkScript(long: "") { robot in
            robot.respond(/work$/) { res in
                try await res.send("working")
                await latch.wait()
            }
        }
        let bot = Bot(
            try configuration(server.port, room: room), grace: .seconds(600), scripts: [script], brain: brain)
        let heard = try await withBot(bot) { bot in
            let client = try await welcome(bot, at: server)
            let heard = Date()
            client.say("marvin: work", as: "ada", in: room)
            try await client.expect("<body>working</body>")
            bot.robot.stop()
            client.say("marvin: work", as: "ada", in: room)
            client.send(
                "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
            try await client.expectEnd()
            latch.open()
            return heard
        }
        try await brain.open()
        #expect(try await brain.recall(BrainKey<StoredSession>("xmpp.session")) == nil)
        let run = try #require(try await brain.recall(BrainKey<RobotRun>("xmpp.run.marvin@xmpp.test")))
        #expect(run.since <= heard)
    }

    @Test func `with other settings, a new session begins`() async throws {
        let server = try ScriptedXMPPServer()
        let brain = Brain(store: MemoryStore())
        var configuration = try configuration(server.port, room: room)
        _ = try await run(configuration, on: server, brain: brain)
        configuration.session.nick = "arthur"
        let second = try await run(configuration, on: server, brain: brain)
        #expect(!second.received.contains { $0.hasPrefix("<resume") })
    }

    @Test func `without a brain the robot leaves`() throws {
        let adapter = XMPPAdapter(try configuration(5_222, room: room))
        #expect(!adapter.configuration.session.isKeptAtStop)
    }

    // MARK: The stored session

    private let date = Date(timeIntervalSince1970: 1_800_000_000)

    private func stored() throws -> StoredSession {
        var management = StreamManagement()
        management.request()
        management.enable(
            Element("enabled", Namespace.streamManagement, ["id": "s1", "resume": "true", "max": "120"]))
        let address = try JID("marvin@xmpp.test/r1")
        let kept = try #require(KeptSession(management, address: address, rooms: []))
        return StoredSession(session: kept, settings: "a", lastReceived: date)
    }

    @Test func `it is used for as long as the server keeps it, with the same settings`() throws {
        let stored = try stored()
        for (age, isUsed) in [(-61.0, false), (-30, true), (0, true), (120, true), (121, false)] as [(Double, Bool)] {
            #expect((stored.age(at: date.addingTimeInterval(age), settings: "a") != nil) == isUsed, "\(age)")
        }
        #expect(stored.age(at: date.addingTimeInterval(60), settings: "a") == .seconds(60))
        #expect(stored.age(at: date, settings: "b") == nil)
    }

    @Test func `a robot whose place another one has taken doesn't take it back`() async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port) {
            $0.installation = "d4565fa7-4d72-4749-b3d3-740edbf87770"
        }
        try await withBot(Bot(configuration)) { bot in
            func installation() -> String? { bot.adapter.driver.withLock { $0.configuration.session.installation } }
            let client = try await server.accept()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("<presence")
            #expect(installation() != nil)
            client.send(
                "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
            _ = try await server.accept()
            #expect(installation() == nil)
        }
    }

    @Test func `it is taken from the brain once`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let log = TestLog()
        let keeper = StoredSessionKeeper(of: "xmpp", in: brain, logger: log.logger)
        #expect(await keeper.take() == nil)
        let stored = try stored()
        #expect(await keeper.store(stored))
        #expect(await keeper.take()?.session == stored.session)
        #expect(await keeper.take() == nil)
        // A value of another type.
        try await brain.remember(BrainKey<String>("xmpp.session"), "no session")
        #expect(await keeper.take() == nil)
        #expect(log.lines(from: .warning).count == 1)
    }
}
