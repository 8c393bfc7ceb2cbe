import Heybot
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// What real servers store for the account: bookmarks (XEP-0402) and the block list (XEP-0191).
@Suite(.serialized, .timeLimit(.minutes(15))) struct AccountStorageTests {
    static let installed = XMPPServer.Software.installed

    private func bot(on server: XMPPServer) throws -> Bot {
        try Bot(.test(server.port, caFile: server.caFile) { $0.usesBookmarks = true })
    }

    private func bookmarks(of client: XMPPTestClient) async -> String {
        let query = """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:bookmarks:1'/></pubsub>
            """
        return (try? await client.ask("get", query)) ?? ""
    }

    private func wait(
        for what: @autoclosure () -> String, of client: XMPPTestClient, until isSo: (_ bookmarks: String) -> Bool
    ) async throws {
        let end = ContinuousClock.now + .testLimit
        while await !isSo(bookmarks(of: client)) {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut(what(), got: []) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test(.enabled(if: installed.contains(.ejabberd)))
    func `a server that keeps only the last bookmark gets none`() async throws {
        let server = try await XMPPServer.start(.ejabberd, hasBookmarks: true)
        try await server.register(account: "marvin", password: "pencil")
        try await withBot(bot(on: server)) { bot in
            try await bot.logs("the server can't store bookmarks for the account only")
        }
    }

    @Test(.enabled(if: installed.contains(.prosody)))
    func `a robot that has lost its brain joins the rooms of its bookmarks`() async throws {
        let server = try await XMPPServer.start(.prosody, hasBookmarks: true)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        let account = try await server.person("marvin", password: "pencil")
        try await withBot(bot(on: server)) { bot in
            try await bot.isUp()
            _ = try await bot.adapter.join(room, password: nil)
            try await wait(for: "the bookmark; log: \(bot.log.lines().suffix(30))", of: account) {
                $0.contains(room) && $0.contains("autojoin")
            }
        }
        // Stopping isn't leaving.
        #expect(await bookmarks(of: account).contains(room))
        try await withBot(bot(on: server)) { bot in
            let address = try JID(room)
            try await TestServers.wait(for: "the robot to join its room; log: \(bot.log.lines())") {
                bot.adapter.driver.withLock { $0.state.session?.joined.contains(address) == true }
            }
            try await bot.adapter.leave(room)
            try await wait(for: "the end of the bookmark", of: account) { !$0.contains(room) }
        }
    }

    @Test(arguments: installed)
    func `what a blocked user sends doesn't arrive`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        try await withBot(Bot(.test(server.port, caFile: server.caFile))) { bot in
            try await bot.isUp()
            let mallory = try await server.person("mallory")
            mallory.tell("marvin@xmpp.test", "ping")
            try await mallory.expect("<body>PONG</body>")
            try await bot.adapter.block("mallory@xmpp.test")
            #expect(try await bot.adapter.blockedAddresses() == ["mallory@xmpp.test"])
            mallory.tell("marvin@xmpp.test", "ping")
            try await mallory.expect { $0.hasPrefix("<message") && attribute("type", of: $0) == "error" }
            try await bot.adapter.unblock("mallory@xmpp.test")
            #expect(try await bot.adapter.blockedAddresses() == [])
            mallory.tell("marvin@xmpp.test", "ping")
            try await mallory.expect("<body>PONG</body>")
        }
    }
}
