import Heybot
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// The block list (XEP-0191), with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct BlockingTests {
    private let room = "dev@conference.xmpp.test"
    private static let list = """
        <blocklist xmlns='urn:xmpp:blocking'><item jid='mallory@example.org'/><item jid='@'/><item jid='eve.org'/></blocklist>
        """

    private func withClient(
        supports isSupported: Bool = true, _ body: (XMPPAdapter, AcceptedXMPPClient) async throws -> Void
    ) async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]))) { bot in
            let client = try await server.accept()
            client.answerJoins()
            if isSupported {
                client.answerRequest("<blocklist") { "<iq type='result' id='\($0)'>\(Self.list)</iq>" }
                for change in ["<block ", "<unblock "] {
                    client.answerRequest(change) { "<iq type='result' id='\($0)'/>" }
                }
            } else {
                client.answerRequests()
            }
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await bot.isUp()
            try await body(bot.adapter, client)
        }
    }

    private func code(_ body: () async throws -> Void) async -> AdapterError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? AdapterError)?.code
        }
    }

    @Test func `addresses and domains are blocked, unblocked and listed`() async throws {
        try await withClient { adapter, client in
            try await adapter.block("Mallory@example.net")
            try await client.expect("<block xmlns='urn:xmpp:blocking'><item jid='mallory@example.net'/>")
            try await adapter.unblock("eve.org")
            try await client.expect("<unblock xmlns='urn:xmpp:blocking'><item jid='eve.org'/>")
            #expect(try await adapter.blockedAddresses() == ["eve.org", "mallory@example.org"])
            #expect(await code { try await adapter.unblock("ada@example.org") } == .noSuchUser)
        }
    }

    @Test func `the robot doesn't block itself or its rooms`() async throws {
        try await withClient { adapter, _ in
            for address in ["marvin@xmpp.test", "xmpp.test", room, "conference.xmpp.test"] {
                #expect(await code { try await adapter.block(address) } == .notAllowed, "\(address)")
            }
            for address in ["@", "\(room)/mallory"] {
                #expect(await code { try await adapter.block(address) } == .invalidName, "\(address)")
            }
        }
    }

    @Test func `a server without a block list`() async throws {
        try await withClient(supports: false) { adapter, _ in
            #expect(await code { try await adapter.block("mallory@example.org") } == .unsupported)
        }
    }
}
