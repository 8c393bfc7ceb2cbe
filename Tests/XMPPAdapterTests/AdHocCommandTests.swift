import Heybot
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// Ad-hoc commands (XEP-0050), with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct AdHocCommandTests {
    private let login = ScriptedLogin(account: ("marvin", "pencil"))

    private func withClient(
        _ scripts: [any Script] = [Commands()], _ body: (AcceptedXMPPClient) async throws -> Void
    ) async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port) {
            $0.commands = AdHocCommand.standard
        }
        try await withBot(Bot(configuration, grace: .testLimit, scripts: scripts)) { bot in
            let client = try await server.accept()
            client.answerRequests()
            try await client.logIn(login)
            try await bot.isUp()
            try await body(client)
        }
    }

    /// Sends a request, and returns the answer.
    private func ask(
        _ client: AcceptedXMPPClient, _ id: String, _ attributes: String, _ payload: String = ""
    ) async throws -> String {
        client.send(
            """
            <iq type='set' id='\(id)' from='ada@xmpp.test/x'>\
            <command xmlns='http://jabber.org/protocol/commands' \(attributes)>\(payload)</command></iq>
            """)
        return try await client.expect("<iq", "id='\(id)'")
    }

    private func hasMessage(_ client: AcceptedXMPPClient) -> Bool {
        client.received.contains { $0.hasPrefix("<message") }
    }

    @Test func `a user is offered what they may use`() async throws {
        try await withClient { client in
            let node = "http://jabber.org/protocol/commands"
            client.send(
                """
                <iq type='get' id='list' from='ada@xmpp.test/x'>\
                <query xmlns='http://jabber.org/protocol/disco#items' node='\(node)'/></iq>
                """)
            let list = try await client.expect("<iq", "id='list'")
            #expect(list.contains("node='help'") && list.contains("node='uptime'"), "\(list)")
            // It needs an admin, and there is no such command.
            #expect(!list.contains("node='die'") && !list.contains("node='join'"), "\(list)")
            let refusal = try await ask(client, "die", "node='die'")
            #expect(refusal.contains("<forbidden"), "\(refusal)")
        }
    }

    @Test func `a command runs as if its user had sent it, and the answer is in the form`() async throws {
        try await withClient { client in
            let done = try await ask(client, "now", "node='uptime'")
            #expect(done.contains("status='completed'") && done.contains("for xmpp:ada@xmpp.test"), "\(done)")
            let form = try await ask(client, "open", "node='help' action='execute'")
            let id = try #require(form.firstMatch(of: /sessionid='([^']+)'/)).1
            let result = try await ask(
                client, "submit", "node='help' sessionid='\(id)' action='complete'",
                "<x xmlns='jabber:x:data' type='submit'><field var='topic'><value>fun</value></field></x>")
            #expect(result.contains("<value>one</value><value>about fun</value>"), "\(result)")
            #expect(!hasMessage(client))
            // The same as a message is answered by a message.
            client.tell("help work", from: "ada@xmpp.test/x")
            try await client.expect("<message", "about work")
        }
    }

    @Test func `what a script that observes messages sends isn't in the form`() async throws {
        try await withClient([Commands(), Letters()]) { client in
            let done = try await ask(client, "now", "node='uptime'")
            #expect(done.contains("for xmpp:ada@xmpp.test") && !done.contains("a letter"), "\(done)")
            let letter = try await client.find("the letter", since: 0) { $0.contains("<body>a letter</body>") }
            #expect(letter.hasPrefix("<message") && letter.contains("ada@xmpp.test"), "\(letter)")
        }
    }

    @Test func `a robot that is stopped by a form answers it first`() async throws {
        try await withClient { client in
            let answer = try await ask(client, "stop", "node='blocks'")
            #expect(answer.contains("status='completed'") && answer.contains(">Bye</note>"), "\(answer)")
        }
    }

    @Test func `an answer that is too long for a form is sent as a message`() async throws {
        try await withClient { client in
            let note = try await ask(client, "long", "node='adapters'")
            #expect(note.contains("sent you a direct message"), "\(note)")
            try await client.expect("<message", "ada@xmpp.test", "<body>word word")
            let silent = try await ask(client, "silent", "node='scripts'")
            #expect(silent.contains("I have no answer to that."), "\(silent)")
        }
    }
}

/// Sends a letter to everyone who says something.
private struct Letters: Script {
    let name = "Letters"

    func register(on robot: inout RobotBuilder) {
        robot.observe { message, robot in
            let envelope = Envelope(room: message.room, user: message.user, message: message.id)
            return { try await robot.deliver(.reply("a letter"), to: envelope) }
        }
    }
}

private struct Commands: Script {
    let name = "Commands"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/help(?: (?<topic>\S+))?$/, help: "help - Show help", example: "help") { res in
            try await res.send("one")
            try await res.send("about \(res.match.topic ?? "all")")
        }
        robot.respond(/uptime$/, help: "uptime - Show how long", example: "uptime") { res in
            try await res.send("for \(res.message.user.id)")
        }
        robot.respond(/adapters$/, help: "adapters - Show much", example: "adapters") { res in
            try await res.send(String(repeating: "word ", count: 1_500))
        }
        robot.respond(/blocks$/, help: "blocks - Stop", example: "blocks") { res in
            try await res.send("Bye")
            res.robot.stop()
        }
        robot.respond(/scripts$/, help: "scripts - Show nothing", example: "scripts") { _ in }
        robot.respond(/die$/, help: "die - Stop", example: "die", allow: .admins) { res in
            try await res.send("Bye")
        }
    }
}
