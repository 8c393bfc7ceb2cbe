import Heybot
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// The identity of users who pretend to be others, and duplicate messages, on real servers.
@Suite(.serialized, .timeLimit(.minutes(15))) struct IdentityTests {
    static let installed = XMPPServer.Software.installed

    private func person(_ server: XMPPServer, _ name: String, resource: String) async throws -> XMPPTestClient {
        let person = try XMPPTestClient(port: server.port)
        try await person.logIn(name, domain: "xmpp.test", resource: resource)
        // So that answers to the bare address reach it.
        person.send("<presence/>")
        return person
    }

    /// Invites repeatedly until the robot has joined: the server drops invitations before it has the robot's presence.
    private func invite(_ bot: Bot, to room: String, by person: XMPPTestClient) async throws {
        for _ in 0..<60 {
            person.send("<message to='marvin@xmpp.test'><x xmlns='jabber:x:conference' jid='\(room)'/></message>")
            if (try? await bot.logs("joined \(room) as marvin", within: .seconds(5))) != nil { return }
        }
        throw TestServerError.timedOut("it to come to \(room)", got: bot.log.lines())
    }

    @Test(arguments: installed)
    func `an account that pretends to be a room makes nobody an admin`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        for (name, password) in [("marvin", "pencil"), ("mallory", "secret"), ("ada", "secret")] {
            try await server.register(account: name, password: password)
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile))) { bot in
            try await bot.isUp()
            let fake = try await person(server, "mallory", resource: "marvin")
            let alice = try await person(server, "mallory", resource: "alice")
            alice.tell("marvin@xmpp.test", "ping")
            let pong = try await alice.expect("<body>PONG</body>")
            let robot = try #require(attribute("from", of: pong))
            fake.send(
                "<message to='marvin@xmpp.test'><x xmlns='jabber:x:conference' jid='mallory@xmpp.test'/></message>")
            try await bot.logs("mallory@xmpp.test/marvin invited me to mallory@xmpp.test; not joining")
            let user = "http://jabber.org/protocol/muc#user"
            let item = "<item affiliation='owner' role='moderator' jid='ada@xmpp.test/phone'/>"
            alice.send("<presence to='\(robot)'><x xmlns='\(user)'>\(item)</x></presence>")
            fake.send("<presence to='\(robot)'><x xmlns='\(user)'>\(item)<status code='110'/></x></presence>")
            alice.send("<message to='\(robot)' type='groupchat'><body>marvin: who am i</body></message>")
            alice.send("<message to='\(robot)' type='chat'><body>who am i</body></message>")
            try await alice.expect("<body>xmpp:mallory@xmpp.test mallory mallory@xmpp.test</body>")
            #expect(!alice.received.contains { $0.contains("xmpp:ada@xmpp.test") })
            #expect(!bot.log.lines().contains { $0.contains("joined mallory") })
        }
    }

    @Test(arguments: installed)
    func `in a configured room, people are identified by the addresses that the service shows`(
        _ software: XMPPServer.Software
    )
        async throws
    {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Countess")
        try await ada.setAnonymous(false, of: room)
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            ada.say("marvin: who am i", in: room)
            try await ada.expect("<body>xmpp:ada@xmpp.test Countess ada@xmpp.test</body>")
            #expect(bot.warnings == [])
        }
    }

    @Test(arguments: installed, ["settings", "role"])
    func `in a room that hides leaving occupants, nobody is mistaken for the previous user of a nick`(
        _ software: XMPPServer.Software, change: String
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("trap")
        let (mallory, ada) = (try await server.person("mallory"), try await server.person("ada"))
        try await mallory.join(room, as: "mallory")
        try await mallory.setAnonymous(false, of: room)
        let hides = ["muc#roomconfig_presencebroadcast": "moderator", "muc#roomconfig_whois": "anyone"]
        func give(_ role: String) async throws {
            let query = "<query xmlns='http://jabber.org/protocol/muc#admin'><item nick='ada' role='\(role)'/></query>"
            try await mallory.ask("set", query, of: room)
        }
        if change == "role" { try await mallory.configure(room, hides) }
        try await ada.join(room, as: "ada")
        if change == "role" { try await give("moderator") }
        try await withBot(Bot(.test(server.port, caFile: server.caFile, rooms: [room]))) { bot in
            try await bot.isUp()
            ada.say("marvin: who am i", in: room)
            try await ada.expect("<body>xmpp:ada@xmpp.test ada ada@xmpp.test</body>")
            if change == "role" { try await give("participant") } else { try await mallory.configure(room, hides) }
            try await ada.leave(room, as: "ada")
            let fake = try await server.person("fake")
            try await fake.join(room, as: "ada")
            fake.say("marvin: who am i", in: room)
            // Prosody 0.12 still shows new occupants.
            let answer = try await fake.expect { $0.contains("<body>xmpp:") && !$0.contains("<delay") }
            #expect(!answer.contains("ada@xmpp.test"))
            fake.tell("\(room)/marvin", "who am i")
            let another = try await fake.find("a private answer", since: 0) {
                $0.contains("<body>xmpp:") && $0.contains("type='chat'")
            }
            #expect(!another.contains("ada@xmpp.test"))
        }
    }

    @Test(arguments: installed)
    func `in a room of the own server, people are identified after an invitation, on request, and after a restart`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("tea")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        try await ada.setAnonymous(false, of: room)
        let brain = Brain(store: MemoryStore())
        try await withBot(Bot(.test(server.port, caFile: server.caFile), brain: brain)) { bot in
            try await bot.isUp()
            try await invite(bot, to: room, by: ada)
            ada.say("marvin: who am i", in: room)
            // Debian's ejabberd doesn't set occupant ids, so nobody is identified in a room that isn't a configured one.
            try await ada.expect("<body>xmpp:\(software == .prosody ? "ada@xmpp.test" : "\(room)/Ada") Ada")
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile), brain: brain)) { bot in
            try await bot.logs("logged in as")
            try await wait(for: "it to be back in \(room)") {
                ada.say("marvin: say back again", in: room)
                return ada.received.contains { $0.contains("<body>back again</body>") }
            }
            try await bot.adapter.leave(room)
            await #expect(throws: AdapterError(.notInRoom, "I'm not in \(room)")) { try await bot.adapter.leave(room) }
            let other = server.room("milk")
            let joined = try await bot.adapter.join(other, password: nil)
            #expect(joined.id.value == other && !joined.isPrivate)
            await #expect(throws: AdapterError.self) { try await bot.adapter.join("ada@xmpp.test", password: nil) }
        }
        try await withBot(Bot(.test(server.port, caFile: server.caFile), brain: brain)) { bot in
            try await bot.logs(server.room("milk"))
            #expect(!bot.log.lines().contains { $0.contains("logged in as") && $0.contains(room) })
        }
    }
}

/// Duplicate messages and corrections, with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct RecentMessagesTests {
    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"))

    private func enter(_ server: ScriptedXMPPServer) async throws -> AcceptedXMPPClient {
        let client = try await server.accept()
        client.answerJoins(others: ["ada"])
        client.answerRequests()
        try await client.logIn(login)
        try await client.expect("<presence to='\(room)/marvin'")
        return client
    }

    private func message(_ text: String, id: String, _ rest: String = "") -> String {
        "<message type='chat' from='ada@xmpp.test/x' to='marvin@xmpp.test' id='\(id)'><body>\(text)</body>\(rest)</message>"
    }

    @Test func `messages repeated after a reconnect aren't handled again`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            client.send(message("say one", id: "1"))
            try await client.expect("<body>one</body>")
            client.close()
            let next = try await enter(server)
            next.send(
                message("say one", id: "1"),
                message(
                    "say old", id: "2", "<delay xmlns='urn:xmpp:delay' from='xmpp.test' stamp='2020-01-01T00:00:00Z'/>"),
                message("say two", id: "3", "<delay xmlns='urn:xmpp:delay' stamp='2020-01-01T00:00:00Z'/>"))
            let first = try await next.expect("<body>")
            #expect(first.contains("<body>two</body>"))
            #expect(attribute("id", of: first) != nil)
        }
    }

    @Test func `addresses shown by a gateway aren't trusted, which is logged once`() async throws {
        let server = try ScriptedXMPPServer()
        let info =
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='irc'/>"
            + "<feature var='http://jabber.org/protocol/muc'/></query>"
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            for turn in 1...2 {
                let client = try await server.accept()
                client.answerJoins(others: [])
                client.answerRequest("http://jabber.org/protocol/disco#info") {
                    "<iq type='result' id='\($0)' from='conference.xmpp.test'>\(info)</iq>"
                }
                try await client.logIn(login)
                try await client.expect("<presence to='\(room)/marvin'")
                client.send(
                    "<presence from='\(room)/Countess'><x xmlns='http://jabber.org/protocol/muc#user'>"
                        + "<item jid='ada@xmpp.test/phone' role='moderator'/></x></presence>",
                    "<message type='groupchat' from='\(room)/Countess'><body>marvin: who am i</body></message>")
                try await client.expect("<body>xmpp:\(room)/Countess Countess -</body>")
                #expect(bot.warnings.count { $0.contains("is a gateway") } == 1, "\(turn)")
                client.close()
            }
        }
    }

    @Test func `a correction is handled only if the original wasn't answered`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]), scripts: [TestScript.script, Puzzled()])) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            func correction(_ id: String) -> String { "<replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>" }
            client.send(message("pingg", id: "1"))
            try await client.expect("<body>What?</body>")
            client.send(message("ping", id: "2", correction("1")))
            try await client.expect("<body>PONG</body>")
            client.send(
                message("say three", id: "3", correction("1")), message("say four", id: "4", correction("unknown")),
                message("say five", id: "5"))
            let next = try await client.expect("<body>")
            #expect(next.contains("<body>five</body>"))
        }
    }
}

/// Answers messages that match no script with a hint.
private struct Puzzled: Script {
    let name = "Puzzled"

    func register(on robot: inout RobotBuilder) {
        robot.catchAll { res in try await res.send("What?") }
    }
}
