import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSockets
import HeybotTesting
import Logging
import NetworkAdapter
import TestServers
import Testing

@testable import IRCAdapter

/// Servers that demand TLS (IRCv3 strict transport security).
@Suite(.timeLimit(.minutes(15))) struct EncryptionPolicyTests {
    private let start = Date(timeIntervalSince1970: 1_795_000_000)
    private let collection = BrainCollection<EncryptionPolicy>("irc.sts")

    private func policies(_ brain: Brain?) -> EncryptionPolicies {
        EncryptionPolicies(of: "irc", in: brain, logger: TestLog().logger)
    }

    @Test func `a demand is kept for its duration, also after a restart, and ends with the duration 0`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        await policies(brain).record(300, of: "IRC.example.org.", port: 6_697, at: start)
        let restarted = policies(brain)
        let expected = EncryptionPolicy(port: 6_697, expires: start.addingTimeInterval(300))
        #expect(try await restarted.policy(of: "irc.example.org", at: start.addingTimeInterval(299)) == expected)
        #expect(try await restarted.policy(of: "irc.example.org", at: start.addingTimeInterval(300)) == nil)
        #expect(try await restarted.policy(of: "irc.example.net", at: start) == nil)
        await restarted.record(0, of: "irc.example.org", port: 6_697, at: start)
        #expect(try await policies(brain).policy(of: "irc.example.org", at: start) == nil)
    }

    @Test func `without a brain, a demand is kept until the end`() async throws {
        let policies = policies(nil)
        await policies.record(300, of: "irc.example.org", port: 6_697, at: start)
        #expect(try await policies.policy(of: "irc.example.org", at: start)?.port == 6_697)
        await policies.record(0, of: "irc.example.org", port: 6_697, at: start)
        #expect(try await policies.policy(of: "irc.example.org", at: start) == nil)
    }

    @Test func `while the brain can't be read, what was last known counts`() async throws {
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let policies = policies(brain)
        await policies.record(300, of: "a.test", port: 6_697, at: start)
        #expect(try await policies.policy(of: "b.test", at: start) == nil)
        // Values of another type.
        for host in ["a.test", "b.test", "c.test"] {
            try await brain.remember(BrainCollection<String>("irc.sts"), host, "no policy")
        }
        #expect(try await policies.policy(of: "a.test", at: start)?.port == 6_697)
        #expect(try await policies.policy(of: "b.test", at: start) == nil)
        await #expect(throws: (any Error).self) { _ = try await policies.policy(of: "c.test", at: start) }
    }

    @Test func `a port that can't be one is no policy`() {
        #expect(!EncryptionPolicy(port: 70_000, expires: .distantFuture).isInForce(at: start))
    }

    @Test func `if the brain can't be read, no unencrypted connection is made`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        // A value of another type.
        try await brain.remember(BrainCollection<String>("irc.sts"), "127.0.0.1", "no policy")
        try await withBot(Bot(.test(server.port, "#dev"), brain: brain)) { bot in
            try await bot.logs("can't find out whether 127.0.0.1 demands TLS")
            #expect(server.connections == 0)
        }
    }

    @Test func `a host that has demanded TLS gets no unencrypted connection, whatever the settings say`() async throws {
        let server = try ScriptedIRCServer()
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        let policy = EncryptionPolicy(port: server.port, expires: .distantFuture)
        try await brain.remember(collection, "127.0.0.1", policy)
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        configuration.connection.refusedRetryDelay = .seconds(900)
        try await withBot(Bot(configuration, brain: brain)) { bot in
            let client = try await server.accept()
            // The client waits for a TLS handshake.
            client.send("NOTICE * :no TLS here")
            try await bot.logs("demands a verified TLS connection until")
            #expect(!client.lines.contains { $0.hasPrefix("NICK") || $0.hasPrefix("CAP") })
        }
    }

    @Test func `the robot warns that a fingerprint without TLS has no effect yet`() async throws {
        let server = try ScriptedIRCServer()
        let pin = try #require(Fingerprint(String(repeating: "ab", count: 32)))
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        configuration.verifiedTLS = TLSOptions(trust: .fingerprint(pin))
        try await withBot(Bot(configuration)) { bot in
            try await bot.logs("fingerprint has no effect until the server demands TLS")
        }
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func `a server that demands TLS is connected to again with TLS, at once`() async throws {
        let secure = try await IRCServer.ngircd(tls: .good)
        let port = try #require(secure.tlsPort)
        let server = try ScriptedIRCServer()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        configuration.verifiedTLS = TLSOptions(trust: .authorities(file: secure.caFile ?? ""), name: "localhost")
        configuration.connection.reconnect = .init(first: .seconds(900), longest: .seconds(900), stable: .seconds(900))
        try await withBot(Bot(configuration)) { bot in
            let client = try await server.accept()
            try await client.expect("CAP LS")
            client.send("CAP * LS :sts=port=\(port)")
            try await bot.isUp()
            try await bot.logs("the server demands TLS (IRCv3 STS): connecting to port \(port) instead")
            try await client.expectEnd()
            #expect(server.connections == 1)
            #expect(!client.lines.contains { $0.hasPrefix("JOIN") })
        }
        await secure.stop()
    }

    @Test(.enabled(if: IRCServer.hasInspIRCd))
    func `after the first visit, a man in the middle that strips TLS is refused, across a restart`() async throws {
        let server = try await IRCServer.inspircd(tls: .good, demandsTLS: true)
        let tlsPort = try #require(server.tlsPort)
        let store = MemoryStore()
        var configuration = IRCAdapter.ResolvedConfiguration.test(server.port, "#dev")
        configuration.servers = [Endpoint(host: "localhost", port: server.port)]
        configuration.verifiedTLS = TLSOptions(trust: .authorities(file: server.caFile ?? ""), name: "localhost")
        configuration.connection.refusedRetryDelay = .seconds(900)
        try await withBot(Bot(configuration, brain: Brain(store: store))) { bot in
            try await bot.isUp()
            try await bot.logs("the server demands TLS (IRCv3 STS): connecting to port \(tlsPort) instead")
        }
        await server.stop()

        // From now on, somebody answers on both ports without TLS.
        let plain = try ScriptedIRCServer(on: server.port)
        let stripped = try ScriptedIRCServer(on: tlsPort)
        try await withBot(Bot(configuration, brain: Brain(store: store))) { bot in
            let client = try await stripped.accept()
            client.send(":irc.test NOTICE * :no TLS here", ":irc.test CAP * LS :sts=duration=0")
            try await bot.logs("demands a verified TLS connection until")
            #expect(plain.connections == 0)
            #expect(!client.lines.contains { $0.hasPrefix("NICK") || $0.hasPrefix("CAP") })
        }
        // Even its word that TLS is no longer demanded hasn't changed anything.
        let brain = Brain(store: store)
        try await brain.open()
        #expect(try await policies(brain).policy(of: "localhost", at: .now)?.port == tlsPort)
        await brain.close()
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func `with a demand, certificate checks can't be switched off`() async throws {
        let server = try await IRCServer.ngircd(tls: .wrongName)
        let port = try #require(server.tlsPort)
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        try await brain.remember(collection, "127.0.0.1", EncryptionPolicy(port: port, expires: .distantFuture))
        var configuration = IRCAdapter.ResolvedConfiguration.test(port, tls: TLSOptions(trust: .anyone), "#dev")
        configuration.verifiedTLS = TLSOptions(trust: .authorities(file: server.caFile ?? ""), name: "localhost")
        configuration.connection.refusedRetryDelay = .seconds(900)
        try await withBot(Bot(configuration, brain: brain)) { bot in
            try await bot.logs("demands a verified TLS connection until")
            #expect(bot.adapter.status.description.contains("can't be trusted"))
        }
        await server.stop()
    }
}
