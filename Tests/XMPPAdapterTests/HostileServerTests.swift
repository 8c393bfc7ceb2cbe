import FoundationEssentials
import Heybot
import HeybotSockets
import HeybotSupport
import HeybotTesting
import HeybotXMPP
import Synchronization
import TestServers
import Testing
import XMPPAdapter

/// Server behavior that real servers never or rarely show.
@Suite(.timeLimit(.minutes(15))) struct HostileServerTests {
    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"))

    /// Accepts the robot's login and its joins.
    private func enter(_ server: ScriptedXMPPServer) async throws -> AcceptedXMPPClient {
        let client = try await server.accept()
        client.answerJoins(others: ["ada"])
        client.answerRequests()
        try await client.logIn(login)
        // Messages before the join are ignored.
        try await client.expect("<presence to='\(room)/marvin'")
        return client
    }

    private func asks(_ client: AcceptedXMPPClient) async throws {
        client.say("marvin: ping", as: "ada", in: room)
        try await client.expect("to='\(room)'", "<body>PONG</body>")
    }

    @Test(arguments: [
        "<message><body>unclosed</message>", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "<!-- hello -->", "<?php evil ?>",
        "<message><body>&lol;</body></message>", "\u{0}", "words between stanzas", "</stream:stream>"
    ]) func `invalid input ends the stream, and the robot reconnects`(attack: String) async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            client.sendRaw(Array(attack.utf8))
            let next = try await enter(server)
            try await asks(next)
            #expect(bot.warnings.count == 1)
            // Not released before, which would close it.
            withExtendedLifetime(client) {}
        }
    }

    @Test func `elements over a limit are skipped, and the stream goes on`() async throws {
        let attacks = [
            "<a>" + String(repeating: "<b>", count: 20_000) + String(repeating: "</b>", count: 20_000) + "</a>",
            "<message from='eve@xmpp.test/x'><body>" + String(repeating: "x", count: 3_000_000) + "</body></message>",
            "<presence from='eve@xmpp.test/x'>" + String(repeating: "<a/>", count: 17_000) + "</presence>",
            "<presence from='\(room)/eve' a='" + String(repeating: "x", count: 300_000) + "'/>"
        ]
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            for attack in attacks {
                client.sendRaw(Array(attack.utf8))
                try await asks(client)
            }
            // The warning is repeated after a minute at the earliest, which may pass on a busy machine.
            #expect(bot.warnings.contains { $0.contains("was skipped") } && bot.warnings.count < attacks.count)
        }
    }

    @Test func `stanzas over the server's limit aren't sent`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            // Each of them takes six bytes in the answer.
            let id = String(repeating: "'", count: 30_000)
            client.sendRaw(
                Array("<iq type='get' from='eve@xmpp.test/x' id=\"\(id)\"><ping xmlns='urn:xmpp:ping'/></iq>".utf8))
            client.send("<iq type='get' id='next' from='xmpp.test'><ping xmlns='urn:xmpp:ping'/></iq>")
            try await client.expect("<iq", "id='next'")
            #expect(client.received.allSatisfy { $0.utf8.count < 65_536 })
            try await bot.logs("eve@xmpp.test/x didn't receive my message: the stanza has 1")
        }
    }

    @Test func `after a broken stream the robot reconnects soon, and logs the number of unconfirmed messages`()
        async throws
    {
        let server = try ScriptedXMPPServer()
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [room])
        configuration.connection.refusedRetryDelay = .seconds(3_000)
        try await withBot(Bot(configuration)) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            try await asks(client)
            client.fail("policy-violation")
            try await asks(enter(server))
            try await bot.logs("1 message may not have arrived")
        }
    }

    @Test func `on shutdown, queued messages are sent before the robot leaves`() async throws {
        let server = try ScriptedXMPPServer()
        let bot = try Bot(
            .test(server.port, rooms: [room]) { $0.rateLimit = RateLimit(burst: 1, interval: .seconds(2)) },
            grace: .seconds(600))
        let client = try await enter(server)
        try await bot.isUp()
        client.say("marvin: ping", as: "ada", in: room)
        try await client.expect("<body>PONG</body>")
        for _ in 0..<4 { client.say("marvin: ping", as: "ada", in: room) }
        // On a busy machine, all may have been sent by now.
        try await wait(for: "them to wait for their turn") {
            bot.adapter.queuedMessages > 1 || client.received.count { $0.contains("<body>PONG</body>") } == 5
        }
        let stopping = Task { try await bot.stop() }
        for _ in 0..<4 { try await client.expect("<body>PONG</body>") }
        try await client.expect("<presence", "unavailable")
        client.send("</stream:stream>")
        client.close()
        try await stopping.value
    }

    @Test func `features without TLS get no answer, not even an address`() async throws {
        let server = try ScriptedXMPPServer()
        let bot = try Bot(.test(server.port, rooms: [room]) { $0.usesTLS = true })
        try await withBot(bot) { bot in
            let client = try await server.accept()
            let header = try await client.expect("<stream:stream")
            #expect(!header.contains("marvin"))
            client.openStream(
                features:
                    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>")
            try await client.expectEnd()
            try await bot.logs("the server offers no TLS, so the robot doesn't log in")
            #expect(!client.received.contains { $0.contains("<auth") })
        }
    }

    @Test func `plaintext after the server's consent to TLS is refused`() async throws {
        let server = try ScriptedXMPPServer()
        let bot = try Bot(.test(server.port, rooms: [room]) { $0.usesTLS = true })
        try await withBot(bot) { bot in
            let client = try await server.accept()
            try await client.expect("<stream:stream")
            client.openStream(features: "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            try await client.expect("<starttls")
            client.sendRaw(
                Array(
                    ("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><stream:features>"
                        + "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>"
                        + "</stream:features>").utf8))
            try await bot.logs("data follows the element that ends the stream")
            #expect(!client.received.contains { $0.contains("<auth") })
        }
    }

    @Test func `without TLS the password isn't sent, whatever is offered`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port))) { bot in
            let client = try await server.accept()
            try await client.expect("<stream:stream")
            client.openStream(
                features:
                    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>")
            try await client.expectEnd()
            try await bot.logs("the password isn't sent over an unencrypted connection")
            #expect(!client.received.contains { $0.contains("<auth") })
        }
    }

    @Test(arguments: [
        ("r=NONCEx,s=c2FsdA==,i=4096", "didn't prove"), ("r=NONCEx,s=c2FsdA==,i=2000000000", "rounds of hashing"),
        ("r=NONCEx,s=c2FsdA==,i=1", "rounds of hashing"), ("r=other,s=c2FsdA==,i=4096", "violated the SASL protocol"),
        ("nonsense", "violated the SASL protocol")
    ]) func `a server that doesn't prove that it knows the password is refused`(challenge: String, reason: String)
        async throws
    {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port))) { bot in
            let client = try await server.accept()
            try await client.expect("<stream:stream")
            client.openStream(
                features:
                    "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>SCRAM-SHA-1</mechanism></mechanisms>"
            )
            let auth = try await client.expect("<auth")
            let first = String(decoding: base64(in: auth), as: UTF8.self)
            let nonce = first.split(separator: ",").first { $0.hasPrefix("r=") }?.dropFirst(2) ?? ""
            let words = challenge.replacing("NONCE", with: nonce)
            client.send("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(base64(words))</challenge>")
            if reason == "didn't prove" {
                try await client.expect("<response")
                client.send(
                    "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(base64("v=AAAAAAAAAAAAAAAAAAAAAAAAAAA="))</success>"
                )
            }
            try await bot.logs(reason)
            try await client.expectEnd()
        }
    }

    @Test func `responses from others than the addressee are ignored`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            async let answer = bot.adapter.ask(
                Element("query", "urn:x"), to: JID("ada@xmpp.test/desk"), within: .testLimit)
            let iq = try await client.expect("<iq", "urn:x")
            let id = try #require(attribute("id", of: iq))
            for sender in ["eve@xmpp.test/desk", "ada@xmpp.test/other", "xmpp.test", "marvin@xmpp.test"] {
                client.send("<iq type='result' id='\(id)' from='\(sender)'><query xmlns='urn:x'>no</query></iq>")
            }
            client.send("<iq type='result' id='\(id)' from='ada@xmpp.test/desk'><query xmlns='urn:x'>yes</query></iq>")
            #expect(try await answer?.text == "yes")
            // Without a response, the request fails after the timeout.
            await #expect(throws: StanzaError.self) {
                try await bot.adapter.ask(
                    Element("query", "urn:silent"), to: JID("ada@xmpp.test"), within: .milliseconds(50))
            }
            await #expect(throws: StanzaError(type: "cancel", condition: .serviceUnavailable)) {
                async let refused = bot.adapter.ask(Element("query", "urn:y"), within: .testLimit)
                try await client.expect("<iq", "urn:y")
                _ = try await refused
            }
        }
    }

    @Test func `redirects are followed, but not in circles`() async throws {
        let (first, second) = (try ScriptedXMPPServer(), try ScriptedXMPPServer())
        try await withBot(Bot(.test(first.port, rooms: [room]))) { bot in
            let client = try await first.accept()
            try await client.expect("<stream:stream")
            client.send(
                "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>",
                "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.1:\(second.port)"
                    + "</see-other-host></stream:error></stream:stream>")
            try await asks(enter(second))
            withExtendedLifetime(client) {}
        }
    }

    @Test func `pings are answered, and a silent server is pinged and left`() async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [room]) {
            $0.timeouts.pingInterval = .milliseconds(500)
            // A busy machine may answer the first ping late.
            $0.timeouts.response = .seconds(30)
        }
        try await withBot(Bot(configuration)) { bot in
            let client = try await server.accept()
            client.answerJoins(others: [])
            let isSilent = Mutex(false)
            // An error is a sign of life too.
            client.answerRequest("urn:xmpp:ping") { id in
                isSilent.withLock { $0 } ? "" : "<iq type='error' id='\(id)'><error type='cancel'><x/></error></iq>"
            }
            try await client.logIn(login)
            try await bot.isUp()
            client.send("<iq type='get' id='p1' from='xmpp.test'><ping xmlns='urn:xmpp:ping'/></iq>")
            try await client.expect("<iq", "type='result'", "id='p1'")
            // Without answers there are two at most: one before the server's, and one after it.
            try await wait(for: "three pings") {
                client.received.count { $0.hasPrefix("<iq") && $0.contains("urn:xmpp:ping") } >= 3
            }
            isSilent.withLock { $0 = true }
            try await client.expectEnd()
            try await bot.logs("ping timeout: the server stopped responding")
            try await asks(enter(server))
        }
    }

    @Test func `a room that has lost the robot is rejoined`() async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [room]) {
            $0.timeouts.roomPingInterval = .milliseconds(200)
        }
        try await withBot(Bot(configuration)) { bot in
            let client = try await server.accept()
            client.answerJoins(others: [])
            let isAnswered = Mutex(false)
            client.answerRequest("urn:xmpp:ping") { [room] id in
                let isFirst = isAnswered.withLock { isAnswered in
                    defer { isAnswered = true }
                    return !isAnswered
                }
                return isFirst
                    ? "<iq type='error' id='\(id)' from='\(room)/marvin'><error type='cancel'>"
                        + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>" : ""
            }
            try await client.logIn(login)
            try await bot.isUp()
            try await client.expect("<iq", "to='\(room)/marvin'", "urn:xmpp:ping")
            try await client.expect("<presence", "to='\(room)/marvin'")
            try await bot.logs("\(room) no longer lists the robot as an occupant")
            try await asks(client)
        }
    }

    @Test func `twenty thousand messages at once, followed by a ping`() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await enter(server)
            try await bot.isUp()
            for _ in 0..<20 {
                client.send(
                    (0..<1_000).map {
                        "<message type='groupchat' from='\(room)/ada' id='\($0)'><body>the build is green again</body></message>"
                    })
            }
            client.send("<iq type='get' id='late'><ping xmlns='urn:xmpp:ping'/></iq>")
            try await client.expect("id='late'")
            try await asks(client)
        }
    }
}

/// Returns the Base64 content of an element.
private func base64(in stanza: String) -> [UInt8] {
    let text = stanza.firstMatch(of: />([^<]*)</)?.1 ?? ""
    return Array(Data(base64Encoded: String(text)) ?? Data())
}

private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
