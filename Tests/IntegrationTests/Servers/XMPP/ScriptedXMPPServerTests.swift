import Foundation
import HeybotSASL
import TestServers
import Testing

/// The scripted server.
@Suite(.timeLimit(.minutes(15))) struct ScriptedXMPPServerTests {
    @Test func `PLAIN logins and joins are answered`() async throws {
        let server = try ScriptedXMPPServer()
        let client = try XMPPTestClient(port: server.port)
        let accepted = try await server.accept()
        accepted.answerJoins(others: ["alice"], subject: "tea & biscuits")
        accepted.answerRequests()
        async let served = accepted.logIn(ScriptedLogin(firstFeatures: "<first/>", lastFeatures: "<last/>"))
        try await client.logIn("heybot", resource: "attic")
        #expect(client.address == "heybot@xmpp.test/attic")
        let said = try await served
        #expect(said.mechanism == "PLAIN" && said.domain == "xmpp.test" && said.failures == [])
        #expect(said.address == "heybot@xmpp.test/attic")
        let features = client.received.filter { $0.hasPrefix("<stream:features") }
        #expect(features.count == 2 && features[0].contains("<first/>") && features[1].contains("<last/>"))
        try await client.ask("set", "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>")
        #expect(try await client.ask("get", "<query xmlns='jabber:iq:roster'/>").contains("jabber:iq:roster"))
        try await client.ask("get", "<ping xmlns='urn:xmpp:ping'/>")
        await #expect { try await client.ask("get", "<query xmlns='else'/>") } throws: {
            "\($0)".contains("service-unavailable")
        }
        try await client.join("lounge@c.test", as: "heybot")
        try await client.expect("lounge@c.test/alice")
        try await client.expect("<subject>tea &amp; biscuits</subject>")
        accepted.say("hello", as: "alice", in: "lounge@c.test", "<delay xmlns='urn:xmpp:delay'/>")
        try await client.expect("from='lounge@c.test/alice'", "<body>hello</body>", "<delay ")
        accepted.tell("psst", from: "alice@xmpp.test/desk")
        try await client.expect("type='chat'", "psst")
        client.say("well", in: "lounge@c.test")
        try await accepted.expect("<message", "<body>well</body>")
        accepted.send("<iq type='get' id='p' from='xmpp.test'><ping xmlns='urn:xmpp:ping'/></iq>")
        try await accepted.expect("type='result'", "id='p'")
        accepted.fail("conflict")
        try await client.expect("<stream:error>", "<conflict ")
        try await client.expectEnd()
    }

    @Test(arguments: [Mechanism.plain, .scramSHA1, .scramSHA256, .scramSHA512])
    func `clients log in to it`(_ mechanism: Mechanism) async throws {
        let server = try ScriptedXMPPServer()
        let client = try XMPPTestClient(port: server.port)
        let accepted = try await server.accept()
        async let served = accepted.logIn(ScriptedLogin(mechanisms: [mechanism.rawValue], resource: "ours"))
        #expect(try await client.openStream().contains("<mechanism>\(mechanism.rawValue)</mechanism>"))
        let namespace = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
        client.send("<auth \(namespace) mechanism='EXTERNAL'>=</auth>")
        try await client.expect("<failure", "<invalid-mechanism/>")
        for password in ["wrong", "secret"] {
            var login = try SASLClient(
                mechanism, Credentials(account: "heybot", password: password), nonce: "fyko+d2lbbFgONRv9qkxdawL")
            client.send("<auth \(namespace) mechanism='\(mechanism.rawValue)'>\(encoded(login.begin()))</auth>")
            var answer = try await client.next()
            if answer.hasPrefix("<challenge ") {
                client.send("<response \(namespace)>\(encoded(try login.respond(to: decoded(answer))))</response>")
                answer = try await client.next()
            }
            guard password == "secret" else {
                #expect(answer.contains("<not-authorized/>"))
                continue
            }
            #expect(answer.hasPrefix("<success "))
            try login.finish(decoded(answer))
        }
        try await client.openStream()
        let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
        #expect(try await client.ask("set", bind).contains("<jid>heybot@xmpp.test/ours</jid>"))
        let said = try await served
        #expect(said.mechanism == mechanism.rawValue && said.address == "heybot@xmpp.test/ours")
        #expect(said.failures == ["EXTERNAL", mechanism.rawValue])
    }

    private func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private func decoded(_ element: String) -> [UInt8] {
        Array(Data(base64Encoded: String(element.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })) ?? Data())
    }

    @Test func `a hostile server takes a few lines`() async throws {
        let server = try ScriptedXMPPServer()
        let client = try XMPPTestClient(port: server.port)
        let accepted = try await server.accept()
        client.send("<?xml version='1.0'?><stream:stream to='xmpp.test'>", " ")
        try await accepted.expect("<stream:stream")
        #expect(try await accepted.next() == " ")
        accepted.openStream(features: "<a b='\u{0}'/>")
        accepted.sendRaw("<never".utf8)
        try await client.expect("<stream:features>", "\u{0}")
        accepted.reset()
        try await client.expectEnd()
        #expect(client.received.last?.hasPrefix("<stream:features>") == true)
    }

    @Test func `several clients at once are counted`() async throws {
        let server = try ScriptedXMPPServer()
        try await withThrowingTaskGroup { group in
            for number in 1...5 {
                group.addTask {
                    try await XMPPTestClient(port: server.port).logIn("heybot", resource: "\(number)")
                }
                group.addTask { try await server.accept().logIn() }
            }
            try await group.waitForAll()
        }
        #expect(server.connections == 5)
        server.stopListening()
        #expect(throws: TestServerError.self) { try XMPPTestClient(port: server.port) }
        try server.listen()
        _ = try XMPPTestClient(port: server.port)
        _ = try await server.accept()
        #expect(server.connections == 6)
    }
}
