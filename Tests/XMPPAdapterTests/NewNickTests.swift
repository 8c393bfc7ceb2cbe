import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import XMPPAdapter

/// New nicks of occupants, with real servers.
@Suite(.serialized, .timeLimit(.minutes(15))) struct NewNickTests {
    private let script = InlineScript { robot in
        robot.profile { res in
            try await res.send("\(res.match.formerName ?? "somebody") is \(res.message.user.name)")
        }
        robot.leave { res in try await res.send("\(res.message.user.name) left") }
    }

    @Test(arguments: XMPPServer.Software.installed)
    func `scripts hear of an occupant's new nick, which is no departure`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let bot = try Bot(.test(server.port, caFile: server.caFile, rooms: [room]), scripts: [script])
        try await withBot(bot) { bot in
            try await bot.isUp()
            let ada = try await server.person("ada")
            try await ada.join(room, as: "ada")
            ada.send("<presence to='\(room)/countess'/>")
            try await ada.expect("<body>ada is countess</body>")
            #expect(!ada.received.contains { $0.contains("<body>ada left</body>") })
        }
    }
}
