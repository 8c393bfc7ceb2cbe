import Heybot
import HeybotSockets
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// What a robot does on servers as they are used out there.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RealServerTests {
    static let installed = XMPPServer.Software.installed

    @Test(arguments: installed)
    func `by STARTTLS: a conversation in a room, in private and in private in the room`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            try await ada.expect("<body>welcome, Ada</body>")
            ada.say("marvin: ping", in: room)
            try await ada.expect("groupchat", "<body>PONG</body>")
            ada.say("hello everybody", in: room)
            try await ada.expect("<body>Ada: hello</body>")
            ada.say("marvin: wave", in: room)
            try await ada.expect("<body>/me waves</body>")
            ada.say("marvin: secret", in: room)
            let secret = try await ada.expect("<body>between you and me</body>")
            #expect(attribute("type", of: secret) == "chat")
            let here = Heybot.Room(id: Heybot.Room.ID(adapter: "xmpp", value: room))
            let present = await bot.adapter.users(in: here)
            #expect(present.map(\.name) == ["Ada"])
            #expect(await bot.adapter.isIn(here) == true)
            func isIn(_ address: String) async -> Bool? {
                await bot.adapter.isIn(Heybot.Room(id: Heybot.Room.ID(adapter: "xmpp", value: address)))
            }
            #expect(await isIn("x\(room)") == false)
            #expect(await isIn("ada@xmpp.test") == nil)
            #expect(await isIn("@") == false)
            #expect(present.allSatisfy { $0.isAnonymous == ($0.account == nil) })
            // To befriend it, as people do with a client of theirs.
            ada.befriend("marvin@xmpp.test")
            try await ada.expect("<presence", "from='marvin@xmpp.test/")
            ada.tell("marvin@xmpp.test", "ping")
            try await ada.expect("from='marvin@xmpp.test", "<body>PONG</body>")
            ada.tell("marvin@xmpp.test", "who am i")
            try await ada.expect("<body>xmpp:ada@xmpp.test ada ada@xmpp.test</body>")
            ada.tell("\(room)/marvin", "ping")
            let whisper = try await ada.expect("from='\(room)/marvin'", "<body>PONG</body>")
            #expect(attribute("type", of: whisper) == "chat")
            #expect(bot.warnings == [])
        }
    }

    @Test(arguments: installed)
    func `by TLS from the first byte on: emoji and Japanese in parts, whole`(_ software: XMPPServer.Software)
        async throws
    {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let port = try #require(server.tlsPort)
        try await withBot(Bot(.test(port, caFile: server.caFile, direct: true, rooms: [room]))) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            ada.say("marvin: long", in: room)
            var text = ""
            while text.utf8.count < TestScript.long.utf8.count - 10 {
                let part = try await ada.expect("<message", "naïve")
                #expect(part.utf8.count < 10_000)
                text += (text.isEmpty ? "" : " ") + (part.firstMatch(of: /<body>(.*)<\/body>/)?.1 ?? "")
            }
            #expect(text.split(separator: " ") == TestScript.long.split(separator: " "))
        }
    }

    @Test(arguments: installed) func `the topic, both ways`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        ada.setSubject("tea", of: room)
        try await ada.expect("<subject>tea</subject>")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            // What it was before is no news.
            ada.setSubject("cake", of: room)
            try await ada.expect("so it is", "cake")
            try await ada.make("marvin@xmpp.test", "admin", of: room)
            ada.say("marvin: topic scones", in: room)
            try await ada.expect("<subject>scones</subject>")
            #expect(!ada.received.contains { $0.contains("so it is") && $0.contains("tea") })
        }
    }

    @Test(arguments: installed)
    func `kicked, it goes back; with a password, it gets in; with another's nick, it takes one and gets its own back`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let (dev, ops) = (server.room("dev"), server.room("ops"))
        let ada = try await server.person("ada")
        try await ada.join(dev, as: "marvin")
        try await ada.join(ops, as: "Ada")
        try await ada.setPassword("open sesame", of: ops)
        let bot = try Bot(
            .test(server.port, caFile: server.caFile) {
                $0.rooms = [
                    Profile.Room(try! JID(dev)), Profile.Room(try! JID(ops), password: "open sesame")
                ]
            })
        try await withBot(bot) { bot in
            try await bot.isUp()
            ada.say("marvin_: ping", in: dev)
            try await ada.expect("from='\(dev)/marvin_'", "<body>PONG</body>")
            try await ada.leave(dev, as: "marvin")
            try await bot.logs("I am marvin again in \(dev)")
            // Prosody takes the room for empty for a moment, so that the robot, or Ada, makes it again.
            while (try? await ada.join(dev, as: "Ada")) == nil { try await Task.sleep(for: .milliseconds(50)) }
            try await wait(for: "an answer in \(dev)") {
                ada.say("marvin: ping", in: dev)
                return ada.received.contains { $0.contains("from='\(dev)/marvin'") && $0.contains("<body>PONG</body>") }
            }
            try await ada.kick("marvin", from: ops, reason: "out")
            try await bot.logs("kicked out of \(ops)")
            try await ada.expect("<presence", "from='\(ops)/marvin'", "participant")
            ada.say("marvin: ping", in: ops)
            try await ada.expect("from='\(ops)/marvin'", "<body>PONG</body>")
        }
    }

    @Test(arguments: installed)
    func `stopped, killed and frozen, the server has it back each time`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let configuration = try XMPPAdapter.Setup.test(server.port, caFile: server.caFile, rooms: [room]) {
            $0.waits.silence = .milliseconds(500)
            $0.waits.answer = .seconds(10)
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            for politely in [true, false] {
                await server.stop(politely: politely)
                try await bot.logs("connecting again")
                try await server.start()
                try await bot.isUp()
                let ada = try await server.person("ada")
                try await ada.join(room, as: "Ada")
                ada.say("marvin: ping", in: room)
                try await ada.expect("<body>PONG</body>")
            }
            server.pause()
            try await bot.logs("the server has gone silent")
            server.goOn()
            try await bot.isUp()
        }
    }

    @Test func `what is wrong is said once, in one line each`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let ada = try await server.person("ada")
        let room = server.room("club")
        try await ada.join(room, as: "Ada")
        try await ada.setMembersOnly(true, of: room)
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            // Again and again, but as a warning only once.
            try await bot.logs("\(room) doesn't let me in: only members are let in", times: 3)
            #expect(bot.warnings.count == 1)
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile) { $0.password = "wrong" })) { bot in
            try await bot.logs("the server refuses the account or its password", times: 3)
            #expect(bot.warnings.count == 1)
            #expect(!bot.log.lines().contains { $0.contains("wrong") && $0.contains("=") && $0.contains("pencil") })
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile) { $0.address = try! JID("marvin@other.test") }))
        {
            try await $0.logs("the server doesn't know the domain of my address")
        }
        // Its own authority isn't known to the system.
        var stranger = try XMPPAdapter.Setup.test(server.port, caFile: server.caFile)
        stranger.trust = .system
        try await withBot(Bot(stranger)) { try await $0.logs("signed by nobody we know") }
    }

    @Test func `where DNS has it: by priority, and another where one doesn't answer`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let dead = try Port.free()
        let names = try NameServer([
            "_xmpp-client._tcp.xmpp.test": .services([
                .init(priority: 5, port: UInt16(dead), target: "localhost"),
                .init(priority: 10, port: UInt16(server.port), target: "localhost")
            ])
        ])
        defer { names.stop() }
        var configuration = try XMPPAdapter.Setup.test(server.port, caFile: server.caFile)
        configuration.server = nil
        configuration.lookup = ServiceLookup(server: (names.address, names.port))
        try await withBot(Bot(configuration)) { try await $0.isUp() }
        // TLS from the first byte on is found too, and may come first.
        let port = try #require(server.tlsPort)
        names.set(
            .services([.init(priority: 1, port: UInt16(port), target: "localhost")]),
            for: "_xmpps-client._tcp.xmpp.test")
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            #expect(bot.warnings == [])
        }
        // A domain may say that it has no such service.
        names.set(.services([.init(port: 0, target: ".")]), for: "_xmpp-client._tcp.xmpp.test")
        names.set(.noData, for: "_xmpps-client._tcp.xmpp.test")
        try await withBot(Bot(configuration)) { try await $0.logs("xmpp.test says that it has no XMPP service") }
    }
}
