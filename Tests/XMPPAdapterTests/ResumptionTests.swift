import Heybot
import HeybotSupport
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// Broken connections to servers with stream management (XEP-0198).
@Suite(.serialized, .timeLimit(.minutes(30))) struct ResumptionTests {
    /// The number of cuts; ten commands in the room and ten in private are given around each of them.
    private static let rounds = Soak.rounds(20, soak: 200)

    private func configuration(
        _ port: Int, caFile: String? = nil, room: String
    ) throws -> XMPPAdapter.ResolvedConfiguration {
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(port, caFile: caFile, rooms: [room]) {
            $0.missedMessageAge = .seconds(600)
        }
        configuration.commandLimit = nil
        configuration.connection.reconnect = .init(first: .milliseconds(10), longest: .milliseconds(50), stable: .zero)
        return configuration
    }

    @Test(arguments: XMPPServer.Software.installed)
    func `while the connection is cut again and again, each command is answered exactly once`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        try await withBot(Bot(configuration(proxy.port, caFile: server.caFile, room: room))) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            var log: [String] { bot.log.lines().filter { !$0.hasPrefix("listener matched") }.suffix(40) }
            func resumptions() -> Int { bot.log.lines().count { $0.contains("resumed the session") } }
            // On a busy machine so many logins may fail that the robot doesn't try to resume the session any more. And Prosody 0.12
            // ends a resumed session if it had received a part of a stanza before the cut.
            func sessions() -> Int {
                Set(bot.log.lines().compactMap { $0.firstMatch(of: /logged in as (\S+),/)?.1 }).count
            }
            for round in 1...Self.rounds {
                let before = resumptions() + sessions()
                // At another place in the stream each time, often within a stanza.
                proxy.cut(after: round * 377 % 3_000 + 1)
                for number in (round - 1) * 10..<round * 10 {
                    ada.say("marvin: say in public \(number).", in: room)
                    ada.tell("marvin@xmpp.test", "say in private \(number).")
                }
                try await wait(for: "cut \(round); log: \(log)") { proxy.cuts == round }
                // After every other cut, the next one may be during the login.
                guard round.isMultiple(of: 2) else { continue }
                try await wait(for: "the robot; log: \(log)") { resumptions() + sessions() > before }
            }
            func counts() -> [String: Int] {
                var counts: [String: Int] = [:]
                for stanza in ada.received where stanza.hasPrefix("<message") {
                    guard let text = stanza.firstMatch(of: /<body>(in (?:public|private) \d+\.)<\/body>/)?.1 else {
                        continue
                    }
                    counts[String(text), default: 0] += 1
                }
                return counts
            }
            try await wait(for: "all answers; log: \(log)") {
                counts().count == 20 * Self.rounds
            }
            // Whatever is sent twice has arrived before the answer to the last question.
            ada.say("marvin: say the end", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>the end</body>")
            ada.tell("marvin@xmpp.test", "say the end")
            try await ada.expect("from='marvin@xmpp.test", "<body>the end</body>")
            #expect(counts().filter { $0.value != 1 } == [:])
            // Nobody has seen it leave.
            #expect(
                sessions() > 1
                    || !ada.received.contains { $0.hasPrefix("<presence") && $0.contains("type='unavailable'") }
            )
        }
    }

    // MARK: A scripted server

    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"), lastFeatures: "<sm xmlns='urn:xmpp:sm:3'/>")

    /// Gets an answer on a connection on which the server acknowledges nothing, and resets it.
    ///
    /// - Returns: The answer, and the number of stanzas until then, including the answer.
    private func loseAnswer(of server: ScriptedXMPPServer, _ bot: Bot) async throws -> (answer: String, count: Int) {
        let client = try await server.accept()
        client.answerJoins(others: ["ada"])
        client.answerRequests()
        try await client.logIn(login)
        try await client.expect("<presence to='\(room)/marvin'")
        client.send("<enabled xmlns='urn:xmpp:sm:3' id='session-1' resume='true'/>")
        try await bot.isUp()
        client.say("marvin: say one", as: "ada", in: room)
        let answer = try await client.expect("<body>one</body>")
        let count = client.stanzaCount
        client.reset()
        return (answer, count)
    }

    @Test func `what hasn't arrived is sent again on the next connection, and the room isn't joined again`()
        async throws
    {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(configuration(server.port, room: room))) { bot in
            let handled = try await loseAnswer(of: server, bot).count - 1
            let client = try await server.accept()
            client.acknowledgeStanzas(after: handled)
            client.answerRequests()
            var login = login
            login.resumption = "<resumed xmlns='urn:xmpp:sm:3' previd='session-1' h='\(handled)'/>"
            try await client.logIn(login)
            try await client.expect("<body>one</body>")
            try await bot.logs("resumed the session, and sent 1 stanza again")
            client.say("marvin: say two", as: "ada", in: room)
            try await client.expect("<body>two</body>")
            #expect(client.received.count { $0.contains("<body>one</body>") } == 1)
            #expect(!client.received.contains { $0.hasPrefix("<presence") })
            let resume = try #require(client.received.first { $0.hasPrefix("<resume") })
            #expect(attribute("previd", of: resume) == "session-1")
        }
    }

    @Test func `if the server has lost the session, the robot joins its room again and then repeats the answer`()
        async throws
    {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(configuration(server.port, room: room))) { bot in
            let answer = try await loseAnswer(of: server, bot).answer
            let client = try await server.accept()
            client.acknowledgeStanzas()
            client.answerJoins(others: ["ada"])
            client.answerRequests()
            // The room has no archive.
            client.answerRequest("urn:xmpp:mam:2") { "<iq type='error' id='\($0)' from='\(room)'/>" }
            try await client.logIn(login)
            try await client.expect("<presence to='\(room)/marvin'")
            let again = try await client.expect("<body>one</body>")
            #expect(attribute("id", of: again) == attribute("id", of: answer))
        }
    }
}
