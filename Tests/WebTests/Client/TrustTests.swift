import Heybot
import TestServers
import Testing

@testable import CurlClient

/// Whom a client believes to be who they say.
@Suite(.timeLimit(.minutes(15)), .enabled(if: Nginx.isInstalled)) struct TrustTests {
    /// The error of a request to a server with a certificate; nil if there is a response.
    private func trouble(
        _ certificate: ServerCertificate, host: String = "localhost", isTrusted: Bool = true, path: String? = nil
    ) async throws -> String? {
        let server = try await Nginx.start(#"location / { return 200 "hello"; }"#, certificate: certificate)
        let configuration = CurlHTTPClient.Configuration(authorities: isTrusted ? path ?? server.caFile : nil)
        let error = try await withClient(configuration) { client in
            await failure { try await client.get(server.secureURL("/secret", host: host)) }
        }
        if error != nil { #expect(error?.code == .untrusted && server.requests.isEmpty) }
        await server.stop()
        return error?.description
    }

    @Test func `certificates of a configured authority are accepted`() async throws {
        #expect(try await trouble(.good) == nil)
        #expect(try await trouble(.good, host: "127.0.0.1") == nil)
    }

    @Test func `those of others aren't`() async throws {
        let error = try await trouble(.good, isTrusted: false)
        #expect(error == "localhost can't be trusted: its certificate is signed by an unknown authority")
    }

    @Test func `with a configured authority, the system's aren't trusted`() async throws {
        // A PEM file with another authority.
        let other = try await CertificateAuthority()
        let error = try await trouble(.good, path: other.file)
        #expect(error == "localhost can't be trusted: its certificate is signed by an unknown authority")
    }

    @Test func `a certificate must be for the host`() async throws {
        let words = "can't be trusted: its certificate is for another name"
        let name = try await trouble(.wrongName)
        #expect(name == "localhost \(words)")
        let address = try await trouble(.good, host: "127.0.0.2")
        #expect(address == "127.0.0.2 \(words)")
    }

    @Test func `it must not have expired`() async throws {
        #expect(try await trouble(.expired) == "localhost can't be trusted: its certificate has expired")
    }

    @Test func `authorities that can't be read are named`() async throws {
        let error = try await trouble(.good, path: "/nowhere/secret.pem")
        #expect(error == "localhost can't be trusted: the file with certificate authorities can't be read")
    }

    @Test func `a server without TLS gets no request`() async throws {
        let server = try ScriptedHTTPServer { $0.send("hello, who is there?\r\n") }
        let error = try await withClient { client in
            await failure { try await client.get("https://localhost:\(server.port)/secret") }
        }
        #expect(
            error?.description
                == "localhost can't be trusted: the TLS handshake failed")
        #expect(server.clients.allSatisfy { !$0.received.contains("secret") })
        server.stop()
    }
}
