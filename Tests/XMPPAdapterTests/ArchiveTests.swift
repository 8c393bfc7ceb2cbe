import Heybot
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// Servers that archive messages (XEP-0313).
@Suite(.serialized, .timeLimit(.minutes(15))) struct ArchiveTests {
    @Test(arguments: XMPPServer.Software.installed)
    func `after the server has lost the session, what only its archives have is answered once`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software, history: 0, hasArchive: true)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(
            proxy.port, caFile: server.caFile, rooms: [room]
        ) {
            $0.missedMessageAge = .seconds(600)
            $0.resource = "bot"
        }
        configuration.connection.reconnect = .init(first: .milliseconds(10), longest: .milliseconds(50), stable: .zero)
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "Ada")
            ada.say("marvin: say before in public", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>before in public</body>")
            ada.tell("marvin@xmpp.test", "say before in private")
            try await ada.expect("from='marvin@xmpp.test", "<body>before in private</body>")
            proxy.block()
            // A client with the same resource ends the robot's session, and gets the message in its place.
            let other = try await server.person("marvin", password: "pencil", resource: "bot")
            try await ada.expect("<presence", "from='\(room)/marvin'", "type='unavailable'")
            ada.say("marvin: say meanwhile in public", in: room)
            try await ada.expect("from='\(room)/Ada'", "<body>marvin: say meanwhile in public</body>")
            ada.tell("marvin@xmpp.test", "say meanwhile in private")
            try await other.expect("<body>say meanwhile in private</body>")
            other.logOut()
            proxy.unblock()
            try await ada.expect("from='\(room)/marvin'", "<body>meanwhile in public</body>")
            try await wait(for: "the private answer; log: \(bot.log.lines().suffix(20))") {
                ada.received.contains { $0.contains("<body>meanwhile in private</body>") }
            }
            // Whatever is answered twice has arrived before these answers.
            ada.say("marvin: say the end", in: room)
            try await ada.expect("from='\(room)/marvin'", "<body>the end</body>")
            ada.tell("marvin@xmpp.test", "say the end")
            try await ada.expect("from='marvin@xmpp.test", "<body>the end</body>")
            for answer in ["before in public", "before in private", "meanwhile in public", "meanwhile in private"] {
                // The robot may repeat an answer that the server hadn't acknowledged, with the same id.
                let answers = ada.received.filter { $0.contains("<body>\(answer)</body>") }
                #expect(Set(answers.map { attribute("id", of: $0) }).count == 1, "\(answer)")
            }
        }
    }
}
