import Heybot
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// Typing, and the delivery of the robot's messages, with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct DeliveryTests {
    private let room = "dev@conference.xmpp.test"

    private func withClient(_ body: (AcceptedXMPPClient) async throws -> Void) async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]), scripts: [TestScript.script, Dinner()])) { bot in
            let client = try await server.accept()
            client.answerJoins(others: ["ada", "bob"])
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("<presence to='\(room)/marvin'")
            try await bot.isUp()
            try await body(client)
        }
    }

    private func said(_ xml: String, id: String, as nick: String = "ada") -> String {
        "<message type='groupchat' from='\(room)/\(nick)' id='\(id)'>\(xml)</message>"
    }

    private func told(_ xml: String, id: String, by person: String = "ada@xmpp.test") -> String {
        "<message type='chat' from='\(person)/x' to='marvin@xmpp.test' id='\(id)'>\(xml)</message>"
    }

    private func received(_ id: String) -> String { "<received xmlns='urn:xmpp:receipts' id='\(id)'/>" }

    private func displayed(_ id: String) -> String { "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/>" }

    /// Waits for the robot's next message that has a text.
    private func expectNext(_ text: String, _ client: AcceptedXMPPClient) async throws -> String {
        let sent = try await client.expect("<body>")
        #expect(sent.contains("<body>\(text)</body>"), "\(sent)")
        return try #require(attribute("id", of: sent))
    }

    @Test func `a script waits for the recipient's confirmations, and ignores those of others`() async throws {
        try await withClient { client in
            client.send(told("<body>dinner</body>", id: "1"))
            let own = try await expectNext("Dinner!", client)
            client.send(
                told(received(own), id: "2", by: "eve@xmpp.test"), told(displayed(own), id: "3", by: "eve@xmpp.test"),
                "<message from='\(room)/ada' type='chat' id='4'>\(displayed(own))</message>",
                told(displayed("unknown"), id: "5"), told("<body>ping</body>", id: "6", by: "bob@xmpp.test"))
            _ = try await expectNext("PONG", client)
            client.send(told(received(own), id: "7"))
            _ = try await expectNext("It has arrived.", client)
            client.send(
                told(displayed(own), id: "8", by: "eve@xmpp.test"),
                told("<body>ping</body>", id: "9", by: "bob@xmpp.test"))
            _ = try await expectNext("PONG", client)
            client.send(told(displayed(own), id: "10"))
            _ = try await expectNext("It was seen.", client)
        }
    }

    @Test func `a room confirms by repeating, and doesn't tell who has read`() async throws {
        try await withClient { client in
            client.send(said("<body>marvin: dinner</body>", id: "1"))
            let own = try await expectNext("Dinner!", client)
            client.send(said("<body>Dinner!</body>", id: own, as: "marvin"))
            _ = try await expectNext("It has arrived.", client)
            try await client.expect("who has read a message in a room")
        }
    }

    @Test func `a message that its recipient's server refuses hasn't arrived`() async throws {
        try await withClient { client in
            client.send(told("<body>call</body>", id: "1"))
            let own = try await expectNext("Hello?", client)
            let condition = "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            let error = "<error type='cancel'>\(condition)</error>"
            client.send(
                "<message type='error' from='eve@xmpp.test' id='\(own)'>\(error)</message>",
                told("<body>ping</body>", id: "2", by: "bob@xmpp.test"))
            _ = try await expectNext("PONG", client)
            client.send("<message type='error' from='ada@xmpp.test' id='\(own)'>\(error)</message>")
            _ = try await expectNext("false", client)
        }
    }

    @Test func `without a confirmation, the wait ends`() async throws {
        try await withClient { client in
            client.send(told("<body>hurry</body>", id: "1"))
            _ = try await expectNext("Hurry!", client)
            _ = try await expectNext("false", client)
        }
    }

    @Test func `a robot that is to show no activity doesn't show that it is writing`() throws {
        var configuration = XMPPAdapter.Configuration(address: "marvin@xmpp.test", password: "pencil", rooms: [])
        #expect(try XMPPAdapter(configuration).messageFeatures == Set(MessageFeature.allCases))
        configuration.showsActivity = false
        let features = try XMPPAdapter(configuration).messageFeatures
        #expect(features == Set(MessageFeature.allCases).subtracting([.typing]))
    }

    @Test func `the robot is seen writing in rooms, and by those whose clients show it`() async throws {
        try await withClient { client in
            client.send(told("<body>think</body>", id: "1"))
            let silent = try await client.expect("<body>Hm.</body>")
            #expect(!silent.contains("chatstates"))
            let state = "<active xmlns='http://jabber.org/protocol/chatstates'/>"
            client.send(told("<body>think</body>\(state)", id: "2"))
            try await client.expect("<composing xmlns='http://jabber.org/protocol/chatstates'/>", "to='ada@xmpp.test")
            try await client.expect("<body>Hm.</body>", "<active ")
            // A fast answer too, or the client stops showing who is writing (XEP-0085 section 5.1).
            client.send(told("<body>ping</body>\(state)", id: "4"))
            let fast = try await client.expect("<body>PONG</body>")
            #expect(fast.contains("<active "), "\(fast)")
            client.send(told("<body>ping</body>", id: "5"))
            let plain = try await client.expect("<body>PONG</body>")
            #expect(!plain.contains("chatstates"), "\(plain)")
            client.send(said("<body>marvin: think</body>", id: "3"))
            try await client.expect("<composing ", "to='\(room)'", "type='groupchat'")
            try await client.expect("<body>Hm.</body>", "<active ")
        }
    }
}

/// Waits until its messages have arrived.
private struct Dinner: Script {
    let name = "Dinner"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/dinner$/, deadline: .minutes(10)) { res in
            let sent = try await res.send(tracked: "Dinner!")
            if try await sent.delivered(within: .minutes(10)) { try await res.send("It has arrived.") }
            do {
                if try await sent.seen(within: .minutes(10)) { try await res.send("It was seen.") }
            } catch let error as AdapterError {
                try await res.send(error.reason)
            }
        }
        robot.respond(/hurry$/) { res in
            let isThere = try await res.send(tracked: "Hurry!").delivered(within: .milliseconds(1))
            try await res.send("\(isThere)")
        }
        robot.respond(/call$/, deadline: .minutes(10)) { res in
            let isThere = try await res.send(tracked: "Hello?").delivered(within: .minutes(10))
            try await res.send("\(isThere)")
        }
        robot.respond(/think$/) { res in
            res.typing()
            try await res.send("Hm.")
        }
    }
}
