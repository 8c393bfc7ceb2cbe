import Heybot
import TestServers
import Testing

@testable import CurlClient

/// Requests that may reach public addresses only.
///
/// There are none for tests, so 127.0.0.1 counts as public where one is needed, and 127.0.0.2 doesn't.
@Suite(.timeLimit(.minutes(15))) struct GuardTests {
    private static let pretending: CurlHTTPClient.Configuration = {
        var configuration = CurlHTTPClient.Configuration()
        configuration.isPublic = { $0 == IPAddress("127.0.0.1") }
        return configuration
    }()

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1.", "localhost", "LocalHost", "localhost.", "2130706433", "0177.0.0.1", "0x7f.0.0.1",
        "0x7f000001", "127.1", "127.0.1", "%31%32%37.0.0.1", "１２７.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "0.0.0.0", "0", "[::]", "[::1]", "user:secret@127.0.0.1", "8.8.8.8@127.0.0.1"
    ])
    func `nothing reaches this machine, however it's spelt`(_ host: String) async throws {
        let server = try answering()
        let error = try await withClient { client in
            await failure { try await client.get(server.url("/", host: host), addresses: .publicOnly) }
        }
        // With a dot at the end it is a name, which some systems don't know.
        #expect(error?.code == .notPublic || error?.code == .unreachable && host.hasSuffix("."))
        if host.lowercased() == "localhost" { #expect(error?.host == "localhost") }
        if host.hasPrefix("2130706433") || host.contains("@") { #expect(error?.host == "127.0.0.1") }
        // Not so much as a connection.
        #expect(server.clients.isEmpty)
        server.stop()
    }

    @Test(arguments: [22, 25, 6_667, 6_697])
    func `a server of another protocol isn't asked`(_ port: Int) async throws {
        try await withClient(Self.pretending) { client in
            let error = await failure { try await client.get("http://127.0.0.1:\(port)/", addresses: .publicOnly) }
            #expect(error == HTTPError(.notPublic, host: "127.0.0.1", "port \(port) belongs to another protocol"))
        }
    }

    @Test(arguments: [true, false])
    func `allowed requests connect`(_ guards: Bool) async throws {
        let server = try answering()
        let status = try await withClient(.init(blocksPrivateAddresses: guards)) { client in
            try await client.get(server.url(), addresses: guards ? .unrestricted : .publicOnly).status
        }
        #expect(status == 200)
        server.stop()
    }

    @Test func `public addresses are reached, also by name`() async throws {
        let server = try answering()
        try await withClient(Self.pretending) { client in
            for host in ["127.0.0.1", "localhost"] {
                let response = try await client.get(server.url("/", host: host), addresses: .publicOnly)
                #expect(response.status == 200)
            }
        }
        server.stop()
    }

    @Test(.enabled(if: Nginx.isInstalled)) func `no redirect leads in`() async throws {
        let server = try await Nginx.start(
            """
            location = /in { return 302 http://127.0.0.2:$server_port/secret; }
            location = /out { return 302 /public; }
            location / { return 200 "hello"; }
            """)
        try await withClient(Self.pretending) { client in
            let error = await failure { try await client.get(server.url("/in"), addresses: .publicOnly) }
            #expect(error == HTTPError(.notPublic, host: "127.0.0.2"))
            let response = try await client.get(server.url("/out"), addresses: .publicOnly)
            #expect(response.text == "hello")
        }
        // Its log is complete when it has ended.
        await server.stop()
        #expect(server.requests.allSatisfy { !$0.contains("127.0.0.2") } && server.requests.count == 3)
    }

    @Test(arguments: [false, true])
    func `an open connection to a private address isn't reused`(_ isSecure: Bool) async throws {
        guard Nginx.isInstalled else { return }
        let server = try await Nginx.start(
            #"location / { return 200 "hello"; }"#, certificate: isSecure ? .good : .none)
        let url = isSecure ? server.secureURL("/") : server.url("/")
        try await withClient(.init(authorities: server.caFile)) { client in
            for _ in 0..<3 {
                let response = try await client.get(url)
                #expect(response.status == 200)
                let error = await failure { try await client.get(url, addresses: .publicOnly) }
                #expect(error?.code == .notPublic)
            }
        }
        await server.stop()
        #expect(server.requests.count == 3)
    }
}
