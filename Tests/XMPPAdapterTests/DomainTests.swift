import HeybotSockets
import TestServers
import Testing
import XMPPAdapter

/// Domains that name their servers in DNS (RFC 6120 3.2.1).
@Suite(.timeLimit(.minutes(15))) struct DomainTests {
    @Test func `servers are found in DNS by priority, and the next is tried if one doesn't answer`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let dead = try Port.free()
        let names = try NameServer([
            "_xmpp-client._tcp.xmpp.test": .services([
                .init(priority: 5, port: UInt16(dead), target: "localhost"),
                .init(priority: 10, port: UInt16(server.port), target: "localhost")
            ])
        ])
        defer { names.stop() }
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile)
        configuration.server = nil
        configuration.lookup = SRVResolver(server: (names.address, names.port), timeout: .testLimit)
        try await withBot(Bot(configuration)) { try await $0.isUp() }
        // Direct TLS is found too, and may come first.
        let port = try #require(server.tlsPort)
        names.set(
            .services([.init(priority: 1, port: UInt16(port), target: "localhost")]),
            for: "_xmpps-client._tcp.xmpp.test")
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            #expect(bot.warnings == [])
        }
        // A domain may declare that it has no such service.
        names.set(.services([.init(port: 0, target: ".")]), for: "_xmpp-client._tcp.xmpp.test")
        names.set(.noData, for: "_xmpps-client._tcp.xmpp.test")
        try await withBot(Bot(configuration)) {
            try await $0.logs("xmpp.test declares in DNS that it has no XMPP service")
        }
    }

    @Test func `every server of a domain is tried, whatever its failure`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let stranger = try await XMPPServer.start(.prosody, tls: .wrongName)
        // Servers that are silent, with direct TLS and without; one that refuses the TLS it offered; one without TLS.
        let (mute, silent) = (try ScriptedXMPPServer(), try ScriptedXMPPServer())
        let (refusing, plain) = (try ScriptedXMPPServer(), try ScriptedXMPPServer())
        let refusal = Task {
            while true {
                let client = try await refusing.accept()
                try await client.expect("<stream:stream")
                client.openStream(features: "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
                try await client.expect("<starttls")
                client.send("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>")
            }
        }
        let offer = Task {
            while true {
                let client = try await plain.accept()
                try await client.expect("<stream:stream")
                client.openStream(features: "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
            }
        }
        defer {
            refusal.cancel()
            offer.cancel()
        }
        func services(_ ports: [Int]) -> NameServer.Answer {
            .services(
                ports.enumerated().map { .init(priority: UInt16($0), port: UInt16($1), target: "localhost") })
        }
        let (ports, bad) = ([silent, refusing, plain].map(\.port), stranger.port)
        let names = try NameServer([
            "_xmpps-client._tcp.xmpp.test": services([mute.port, try #require(stranger.tlsPort)]),
            "_xmpp-client._tcp.xmpp.test": services(ports + [bad, server.port])
        ])
        defer { names.stop() }
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, caFile: server.caFile) {
            $0.timeouts.login = .seconds(20)
        }
        configuration.server = nil
        configuration.connection.connectTimeout = .seconds(20)
        configuration.connection.reconnect = .init(
            first: .seconds(3_000), longest: .seconds(3_000), stable: .seconds(1))
        configuration.lookup = SRVResolver(server: (names.address, names.port), timeout: .testLimit)
        try await withBot(Bot(configuration)) { bot in
            try await bot.isUp()
            #expect(bot.warnings == [])
            #expect(bot.log.lines().count { $0.contains("trying another server") } == 6)
        }
        // If no server works, the reason is logged, and the robot retries soon: the silent one may answer later.
        names.set(services(ports + [bad]), for: "_xmpp-client._tcp.xmpp.test")
        try await withBot(Bot(configuration)) { bot in
            try await bot.logs("reconnecting in")
            #expect(bot.warnings.count == 1)
        }
    }
}
