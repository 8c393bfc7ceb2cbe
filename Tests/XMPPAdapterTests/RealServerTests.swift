import Heybot
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// A robot on real servers.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RealServerTests {
    static let installed = XMPPServer.Software.installed

    @Test(arguments: installed)
    func `with STARTTLS: a conversation in a room, in direct messages, and with an occupant`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            try await bot.logs("\(room) didn't exist: created it as a persistent room")
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
            // Adds the robot as a contact, as people do in their clients.
            ada.exchangeSubscriptions(with: "marvin@xmpp.test")
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

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `a file is uploaded to the service that the server lists`() async throws {
        let server = try await XMPPServer.start(.prosody, takesFiles: true)
        try await server.register(account: "marvin", password: "pencil")
        let web = StubHTTPClient()
        web.answerOthers(.text("", status: 201))
        let chart = InlineScript { robot in
            robot.respond(/chart$/) { res in
                try await res.send(Attachment(name: "chart.png", type: "image/png", bytes: [1, 2, 3]))
            }
        }
        let bot = try Bot(.test(server.port, caFile: server.caFile), scripts: [chart], http: web)
        try await withBot(bot) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            ada.tell("marvin@xmpp.test", "chart")
            let sent = try await ada.expect("<body>https://upload.xmpp.test/share/")
            let request = try #require(web.requests.first)
            #expect(request.method == .put && sent.contains("<body>\(request.url)</body>"))
            #expect(request.headers["Authorization"]?.hasPrefix("Bearer ") == true)
        }
    }

    @Test(arguments: installed)
    func `with direct TLS: emoji and Japanese in parts, unharmed`(_ software: XMPPServer.Software)
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

    @Test(arguments: installed) func `topics are received and set`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        ada.setSubject("tea", of: room)
        try await ada.expect("<subject>tea</subject>")
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            // The earlier subject isn't news.
            ada.setSubject("cake", of: room)
            try await ada.expect("so it is", "cake")
            try await ada.make("marvin@xmpp.test", "admin", of: room)
            ada.say("marvin: topic scones", in: room)
            try await ada.expect("<subject>scones</subject>")
            #expect(!ada.received.contains { $0.contains("so it is") && $0.contains("tea") })
        }
    }

    @Test(arguments: installed)
    func `the robot rejoins after a kick, uses a room's password, and gets a taken nick back`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let (dev, ops) = (server.room("dev"), server.room("ops"))
        let ada = try await server.person("ada")
        try await ada.join(dev, as: "marvin")
        try await ada.join(ops, as: "Ada")
        try await ada.setPassword("open sesame", of: ops)
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile) {
            $0.rooms = [
                SessionConfiguration.Room(try! JID(dev)),
                SessionConfiguration.Room(try! JID(ops), password: "open sesame")
            ]
        }
        // Ada asks again and again until there is an answer.
        configuration.commandLimit = nil
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            ada.say("marvin_: ping", in: dev)
            try await ada.expect("from='\(dev)/marvin_'", "<body>PONG</body>")
            try await ada.leave(dev, as: "marvin")
            try await bot.logs("I'm marvin again in \(dev)")
            // Prosody considers the room empty for a moment, so that the robot or Ada creates it again.
            while (try? await ada.join(dev, as: "Ada")) == nil { try await Task.sleep(for: .milliseconds(50)) }
            try await wait(for: "an answer in \(dev)") {
                ada.say("marvin: ping", in: dev)
                return ada.received.contains { $0.contains("from='\(dev)/marvin'") && $0.contains("<body>PONG</body>") }
            }
            try await ada.kick("marvin", from: ops, reason: "out")
            try await bot.logs("kicked from \(ops)")
            try await ada.expect("<presence", "from='\(ops)/marvin'", "participant")
            ada.say("marvin: ping", in: ops)
            try await ada.expect("from='\(ops)/marvin'", "<body>PONG</body>")
        }
    }

    @Test(arguments: installed)
    func `the robot reconnects to a server that was stopped, killed or frozen`(_ software: XMPPServer.Software)
        async throws
    {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(
            server.port, caFile: server.caFile, rooms: [room]
        ) {
            $0.timeouts.pingInterval = .milliseconds(500)
            $0.timeouts.response = .seconds(10)
        }
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            for gracefully in [true, false] {
                let count = bot.log.lines().count { $0.contains("reconnecting in") }
                await server.stop(gracefully: gracefully)
                try await bot.logs("reconnecting in", times: count + 1)
                try await server.start()
                try await bot.isUp()
                let ada = try await server.person("ada")
                try await ada.join(room, as: "Ada")
                ada.say("marvin: ping", in: room)
                try await ada.expect("<body>PONG</body>")
            }
            server.pause()
            try await bot.logs("ping timeout: the server stopped responding")
            server.resume()
            try await bot.isUp()
        }
    }

    @Test func `each problem is logged once, in one line`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let ada = try await server.person("ada")
        let room = server.room("club")
        try await ada.join(room, as: "Ada")
        try await ada.setMembersOnly(true, of: room)
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            // Retried, but logged as a warning only once.
            try await bot.logs("can't join \(room): only members may join", times: 3)
            #expect(bot.warnings.count == 1)
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile) { $0.password = "wrong" })) { bot in
            try await bot.logs("the server rejected the account or its password", times: 3)
            #expect(bot.warnings.count == 1)
            #expect(!bot.log.lines().contains { $0.contains("wrong") && $0.contains("=") && $0.contains("pencil") })
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile) { $0.address = try! JID("marvin@other.test") }))
        {
            try await $0.logs("the server doesn't serve the domain of the account")
        }
        // The system doesn't know the test's authority.
        var stranger = try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile)
        stranger.trust = .system
        try await withBot(Bot(stranger)) { try await $0.logs("signed by an unknown authority") }
    }
}
