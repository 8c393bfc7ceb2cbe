import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSockets
import HeybotSupport
import IRCAdapter
import TestServers
import Testing

/// Every way to lose a connection or a room, repeatedly: 50 times, or 500 with `bin/test --soak`.
@Suite struct DropTests {
    private enum Kind: CaseIterable {
        case close, reset, silence, refusal, lookup, kick, kill, nickInUse
    }

    @Test func `after each drop the robot rejoins, loses no later message, and leaks no memory`() async {
        // In a process of its own, to measure its memory alone.
        await #expect(processExitsWith: .success) { try await DropTests().dropAgainAndAgain() }
    }

    private func dropAgainAndAgain() async throws {
        let rounds = Soak.rounds(50, soak: 500)
        let server = try ScriptedIRCServer()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev", "#ops") {
            $0.timeouts.pingInterval = .milliseconds(100)
            $0.timeouts.pingTimeout = .milliseconds(100)
            $0.rateLimit = RateLimit(interval: .zero)
        }
        // If the first server refuses, the next one is looked up, without success.
        configuration.servers.append(Endpoint(host: "no-such-host.invalid", port: 6667))
        configuration.connection.reconnect = .init(first: .milliseconds(1), longest: .milliseconds(20), stable: .zero)
        configuration.commandLimit = nil
        try await withBot(Bot(configuration)) { bot in
            var client = try await enter(server)
            var before = 0
            for round in 0..<rounds {
                let kind = Kind.allCases[round % Kind.allCases.count]
                client = try await drop(kind, client, server, bot)
                // On a busy machine it may have found this server too slow, and connected to another.
                while try await !asks(client, round) { client = try await enter(server) }
                // Initial growth isn't a leak.
                if round == 24 { before = residentMemory() }
            }
            let grown = residentMemory() - before
            #expect(grown < 2_000, "\(grown) KB more after \(rounds) drops than after 25")
        }
    }

    /// Whether the robot answers in both rooms; false if it has left this connection.
    private func asks(_ client: AcceptedIRCClient, _ round: Int) async throws -> Bool {
        client.send(
            ":ada!a@h PRIVMSG #dev :marvin: say dev \(round)", ":ada!a@h PRIVMSG #ops :marvin: say ops \(round)")
        // The rooms' answers have no common order.
        let answers: Set = ["PRIVMSG #dev :dev \(round)", "PRIVMSG #ops :ops \(round)"]
        try await wait(for: "answers in round \(round)") { answers.isSubset(of: client.lines) || client.hasEnded }
        return answers.isSubset(of: client.lines)
    }

    private func drop(
        _ kind: Kind, _ client: AcceptedIRCClient, _ server: ScriptedIRCServer, _ bot: Bot
    ) async throws -> AcceptedIRCClient {
        switch kind {
        case .close: client.close()
        case .reset: client.reset()
        case .silence: client.stopReading()
        case .refusal, .lookup:
            server.stopListening()
            let trouble = kind == .lookup ? "connecting server=no-such-host.invalid" : "connection refused"
            let count = bot.log.lines().count { $0.contains(trouble) }
            client.reset()
            try await bot.logs(trouble, times: count + 1)
            try server.listen()
        case .kick:
            client.send(":bob!b@h KICK #dev marvin :out", ":bob!b@h KICK #ops marvin :out")
            // On a busy machine, it may leave this connection first.
            do { try await client.expect("JOIN") } catch TestServerError.ended { return try await enter(server) }
            return client
        case .kill:
            client.send(":bob!b@h KILL marvin :enough", "ERROR :Closing Link: marvin (Killed (bob (enough)))")
            client.close()
        case .nickInUse:
            client.send("ERROR :Closing Link: marvin (Ping timeout)")
            client.close()
            return try await enter(server, RegistrationScript(takenNicks: ["marvin"]), as: "marvin_")
        }
        return try await enter(server)
    }

    private func enter(
        _ server: ScriptedIRCServer, _ registration: RegistrationScript = RegistrationScript(),
        as nick: String = "marvin"
    ) async throws -> AcceptedIRCClient {
        while true {
            let client = try await server.accept()
            client.answerJoins(of: "\(nick)!~marvin@host.test")
            client.answerPings()
            // The system may accept a connection just before the server stops.
            do { _ = try await client.welcome(registration) } catch TestServerError.ended { continue }
            return client
        }
    }
}
