import Foundation
import TestServers
import Testing

/// The TLS of real servers, and what they offer with and without it.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ServerTLSTests {
    @Test(arguments: XMPPServerTests.installed)
    func `STARTTLS and the TLS port use the test's certificate`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        let (ca, tlsPort) = (try #require(server.caFile), try #require(server.tlsPort))
        let check = ["-CAfile", ca, "-verify_return_error", "-verify_hostname", "xmpp.test", "-brief"]
        let starts = ["-starttls", "xmpp", "-xmpphost", "xmpp.test", "-connect", "127.0.0.1:\(server.port)"]
        let direct = ["-servername", "xmpp.test", "-connect", "127.0.0.1:\(tlsPort)"]
        for place in [starts, direct] {
            let said = try await ChildProcess.run(["openssl", "s_client"] + check + place, in: server.folder)
            #expect(said.contains("Verification: OK") && said.contains("Verified peername: xmpp.test"))
        }
        try await server.register(account: "alice")
        let alice = try XMPPTestClient(tlsPort: tlsPort, caFile: ca)
        try await alice.logIn("alice")
        #expect(alice.address == "alice@xmpp.test/desk")
        // A certificate of another authority isn't accepted.
        let other = try await CertificateAuthority()
        let stranger = try XMPPTestClient(tlsPort: tlsPort, caFile: other.file)
        await #expect(throws: TestServerError.self) { try await stranger.openStream() }
    }

    @Test(arguments: XMPPServerTests.installed, [ServerCertificate.wrongName, .expired])
    func `bad certificates are bad`(_ software: XMPPServer.Software, _ tls: ServerCertificate) async throws {
        let server = try await XMPPServer.start(software, tls: tls)
        let client = try XMPPTestClient(
            tlsPort: try #require(server.tlsPort), caFile: try #require(server.caFile))
        await #expect(throws: TestServerError.self) { try await client.openStream() }
        // The server has it nevertheless.
        let said = try await ChildProcess.run(
            ["openssl", "s_client", "-brief", "-connect", "127.0.0.1:\(server.tlsPort ?? 0)"], in: server.folder)
        #expect(said.contains(tls == .expired ? "CN = xmpp.test" : "CN = elsewhere.test"))
    }

    @Test(arguments: XMPPServerTests.installed)
    func `TLS is optional`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software, tls: .none)
        #expect(server.tlsPort == nil && server.caFile == nil)
        let features = try await XMPPTestClient(port: server.port).openStream()
        #expect(!features.contains("urn:ietf:params:xml:ns:xmpp-tls"))
        _ = try await server.person("alice")
    }

    @Test(arguments: XMPPServerTests.installed)
    func `TLS can be required`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software, requiresTLS: true)
        try await server.register(account: "alice")
        let client = try XMPPTestClient(port: server.port)
        let features = try await client.openStream()
        #expect(features.contains("<required") && !features.contains("<mechanism>"))
        await #expect(throws: TestServerError.self) { try await server.person("alice") }
        let alice = try XMPPTestClient(tlsPort: try #require(server.tlsPort), caFile: try #require(server.caFile))
        try await alice.logIn("alice")
    }

    @Test(
        arguments: XMPPServerTests.installed,
        [["PLAIN"], ["SCRAM-SHA-1"], ["SCRAM-SHA-256"], ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"]])
    func `the offered mechanisms are configurable`(
        _ software: XMPPServer.Software, _ mechanisms: [String]
    ) async throws {
        let server = try await XMPPServer.start(software, mechanisms: mechanisms)
        let features = try await XMPPTestClient(port: server.port).openStream()
        #expect(Set(features.matches(of: /<mechanism>(.*?)</).map { String($0.1) }) == Set(mechanisms))
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `Prosody can restrict PLAIN to TLS`() async throws {
        let server = try await XMPPServer.start(.prosody, allowsPlainWithoutTLS: false)
        let features = try await XMPPTestClient(port: server.port).openStream()
        #expect(features.contains("SCRAM-SHA-1<") && !features.contains("PLAIN"))
        try await server.register(account: "alice")
        let alice = try XMPPTestClient(tlsPort: try #require(server.tlsPort), caFile: try #require(server.caFile))
        try await alice.logIn("alice")
    }
}
