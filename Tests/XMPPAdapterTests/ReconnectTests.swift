import FoundationEssentials
import Heybot
import HeybotSockets
import HeybotSupport
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

/// Every way to lose the connection or a room, repeatedly: 20 times, 200 with `bin/test --soak`.
@Suite(.serialized) struct ReconnectTests {
    private enum Kind: CaseIterable {
        case close, reset, silence, refusal, streamError, kick, shutdown
    }

    private let room = "dev@conference.xmpp.test"
    private static let rounds = Soak.rounds(20, soak: 200)

    /// - Parameter silence: How long the server may be silent, and then may take to answer.
    private func configuration(
        _ port: Int, caFile: String? = nil, silence: Duration? = nil
    ) throws -> XMPPAdapter.ResolvedConfiguration {
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(port, caFile: caFile, rooms: [room]) {
            if let silence { ($0.timeouts.pingInterval, $0.timeouts.response) = (silence, silence) }
        }
        configuration.connection.reconnect = .init(first: .milliseconds(1), longest: .milliseconds(20), stable: .zero)
        configuration.commandLimit = nil
        return configuration
    }

    @Test func `the robot is back in its room after each drop, loses no messages afterwards, and doesn't leak`() async {
        // In a process of its own, so that the memory of other tests doesn't count.
        await #expect(processExitsWith: .success) { try await ReconnectTests().dropAgainAndAgain() }
    }

    private func dropAgainAndAgain() async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(configuration(server.port, silence: .milliseconds(150)))) { bot in
            var client = try await enter(server)
            var before = 0
            for round in 0..<Self.rounds {
                client = try await drop(Kind.allCases[round % Kind.allCases.count], client, server, bot)
                // On a busy machine the robot may have timed out and opened another connection.
                while try await !asks(client, round) { client = try await enter(server) }
                // Growth at the beginning isn't a leak.
                if round == 10 { before = residentMemory() }
            }
            let grown = residentMemory() - before
            #expect(grown < 2_000, "\(grown) KB more after \(Self.rounds) drops than after 10")
        }
    }

    @Test func `the robot reconnects each time that a real server was stopped or killed`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        try await withBot(Bot(configuration(server.port, caFile: server.caFile))) { bot in
            for round in 0..<Self.rounds / 4 {
                await server.stop(gracefully: round % 2 == 0)
                try await server.start()
                let ada = try await server.person("ada")
                try await ada.join(room, as: "Ada")
                // Occupants are shown first, newcomers when they join.
                try await wait(for: "marvin in the room") {
                    ada.received.contains { $0.hasPrefix("<presence") && $0.contains("from='\(room)/marvin'") }
                }
                ada.say("marvin: say round \(round)", in: room)
                try await ada.expect("from='\(room)/marvin'", "<body>round \(round)</body>")
            }
        }
    }

    /// Returns whether the robot answers; false if it has closed this connection.
    private func asks(_ client: AcceptedXMPPClient, _ round: Int) async throws -> Bool {
        client.say("marvin: say round \(round)", as: "ada", in: room)
        func isAnswered() -> Bool { client.received.contains { $0.contains("<body>round \(round)</body>") } }
        try await wait(for: "an answer in round \(round)") { isAnswered() || client.hasEnded }
        return isAnswered()
    }

    private func drop(
        _ kind: Kind, _ client: AcceptedXMPPClient, _ server: ScriptedXMPPServer, _ bot: Bot
    ) async throws -> AcceptedXMPPClient {
        switch kind {
        case .close: client.close()
        case .reset: client.reset()
        case .silence: client.stopReading()
        case .refusal:
            server.stopListening()
            let count = bot.log.lines().count { $0.contains("connection refused") }
            client.reset()
            try await bot.logs("connection refused", times: count + 1)
            try server.listen()
        case .streamError: client.fail("system-shutdown")
        case .kick, .shutdown:
            let code = kind == .kick ? 307 : 332
            let entrances = client.received.count { $0.hasPrefix("<presence to='\(room)/marvin'") }
            client.send(
                "<presence type='unavailable' from='\(room)/marvin'><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item role='none'/><status code='\(code)'/><status code='110'/></x></presence>")
            try await wait(for: "it to come back") {
                client.hasEnded || client.received.count { $0.hasPrefix("<presence to='\(room)/marvin'") } > entrances
            }
            return client.hasEnded ? try await enter(server) : client
        }
        return try await enter(server)
    }

    private func enter(_ server: ScriptedXMPPServer) async throws -> AcceptedXMPPClient {
        while true {
            let client = try await server.accept()
            client.answerJoins(others: ["ada"])
            client.answerRequests()
            // A connection that the system accepted before the refusal began is useless.
            do {
                try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
                // Messages before the join are ignored.
                try await client.expect("<presence to='\(room)/marvin'")
            } catch TestServerError.ended {
                continue
            }
            return client
        }
    }
}
