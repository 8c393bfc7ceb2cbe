import Heybot
import TestServers
import Testing

@testable import CurlClient

/// Requests through a proxy.
@Suite(.timeLimit(.minutes(15))) struct ProxyTests {
    private func configuration(_ proxy: ScriptedHTTPServer, exceptions: String = "") -> CurlHTTPClient.Configuration {
        let url = "http://user:secret@127.0.0.1:\(proxy.port)"
        return .init(proxies: ProxySettings(http: url, https: url, exceptions: exceptions))
    }

    @Test func `a proxy is asked in place of the host`() async throws {
        let proxy = try answering("200 OK", [], "from the proxy")
        let text = try await withClient(configuration(proxy)) {
            try await $0.get("http://no-such-name.invalid/a?b").text
        }
        #expect(text == "from the proxy")
        let received = proxy.clients[0].received
        #expect(received.hasPrefix("GET http://no-such-name.invalid/a?b HTTP/1.1\r\nHost: no-such-name.invalid\r\n"))
        #expect(received.contains("Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"))
        proxy.stop()
    }

    @Test func `exceptions go without`() async throws {
        let (proxy, server) = (try answering(), try answering())
        try await withClient(configuration(proxy, exceptions: "example.org,127.0.0.1")) { client in
            _ = try await client.get(server.url())
        }
        #expect(proxy.clients.isEmpty && server.clients.count == 1)
        proxy.stop()
        server.stop()
    }

    @Test func `with TLS it opens a tunnel, whose response isn't the server's`() async throws {
        let proxy = try ScriptedHTTPServer { client in
            client.head()
            client.send("HTTP/1.1 200 Connection established\r\nFrom-Proxy: yes\r\n\r\n")
            client.waitForEnd()
        }
        var received: String?
        // On a busy machine, the time may be over before the proxy is asked.
        while received == nil {
            let error = try await withClient(configuration(proxy)) { client in
                var request = HTTPRequest(.get, "https://example.org/secret", auth: .bearer("token"))
                request.deadline = .milliseconds(100)
                return await failure { try await client.send(request) }
            }
            #expect(error?.code == .timeout)
            received = proxy.clients.map(\.received).first { $0.contains("\r\n\r\n") }
        }
        let head = try #require(received).components("\r\n\r\n")[0]
        #expect(head.hasPrefix("CONNECT example.org:443 HTTP/1.1\r\n"))
        #expect(!head.contains("/secret") && !head.contains("token") && !head.contains("Accept-Encoding"))
        proxy.stop()
    }

    @Test func `a refusing proxy is reported without its password`() async throws {
        let proxy = try answering("403 Forbidden")
        let error = try await withClient(configuration(proxy)) { client in
            await failure { try await client.get("https://example.org/") }
        }
        #expect(error?.description == "example.org can't be reached: the proxy answered with status 403")
        proxy.stop()
    }

    // MARK: Public addresses only

    @Test func `requests for public addresses only go through the proxy despite exceptions`() async throws {
        let proxy = try answering("200 OK", [], "from the proxy")
        let text = try await withClient(configuration(proxy, exceptions: "*")) { client in
            try await client.get("http://example.org/", addresses: .publicOnly).text
        }
        #expect(text == "from the proxy")
        proxy.stop()
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1.", "localhost", "localhost.", "x.LOCALHOST", "2130706433", "0x7f.1", "%31%30.0.0.1",
        "１２７.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "[fe80::1%25lo]", "[::ffff:a9fe:a9fe]"
    ])
    func `a proxy gets no request for a private address`(_ host: String) async throws {
        let proxy = try answering()
        try await withClient(configuration(proxy)) { client in
            for scheme in ["http", "https"] {
                let error = await failure { try await client.get("\(scheme)://\(host)/", addresses: .publicOnly) }
                #expect(error?.code == .notPublic)
            }
        }
        #expect(proxy.clients.isEmpty)
        proxy.stop()
    }

    @Test func `a redirect to a private address isn't followed either`() async throws {
        let proxy = try answering("302 Found", ["Location: http://169.254.169.254/latest"])
        let error = try await withClient(configuration(proxy)) { client in
            await failure { try await client.get("http://example.org/", addresses: .publicOnly) }
        }
        #expect(error == HTTPError(.notPublic, host: "169.254.169.254"))
        #expect(proxy.clients.map(\.received).joined().components("GET ").count == 2)
        proxy.stop()
    }
}
