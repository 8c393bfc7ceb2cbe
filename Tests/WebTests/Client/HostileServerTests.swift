import Foundation
import Heybot
import Synchronization
import TestServers
import Testing

@testable import CurlClient

/// Servers that don't do what they should.
@Suite(.timeLimit(.minutes(15))) struct HostileServerTests {
    /// The result of a request to a server that sends a response and closes the connection.
    private func outcome(
        of answer: String
    ) async throws -> Result<HTTPResponse, HTTPError> {
        try await outcome { client in
            client.head()
            client.send(answer)
        }
    }

    private func outcome(
        with change: (inout HTTPRequest) -> Void = { _ in }, _ serve: @escaping @Sendable (ScriptedHTTPClient) -> Void
    ) async throws -> Result<HTTPResponse, HTTPError> {
        let server = try ScriptedHTTPServer(serve)
        defer { server.stop() }
        return try await withClient { client in
            var request = HTTPRequest(.get, server.url("/secret"))
            request.deadline = .testLimit
            change(&request)
            do {
                let response = try await client.send(request)
                try await expectNothing(of: client)
                return .success(response)
            } catch let error as HTTPError {
                #expect(error.host == "127.0.0.1" && !"\(error)".contains("secret"))
                try await expectNothing(of: client)
                return .failure(error)
            }
        }
    }

    private func code(_ outcome: Result<HTTPResponse, HTTPError>) -> HTTPError.Code? {
        if case .failure(let error) = outcome { error.code } else { nil }
    }

    // MARK: No answer

    @Test func `the server doesn't exist`() async throws {
        // No test's server listens at this address.
        let port = try Port.free()
        let error = try await withClient { client in
            await failure { try await client.get("http://127.0.0.9:\(port)/") }
        }
        #expect(error == HTTPError(.unreachable, host: "127.0.0.9", "it refuses the connection"))
    }

    @Test func `the name can't be resolved`() async throws {
        let error = try await withClient { client in
            await failure { try await client.get("http://no-such-name.invalid/") }
        }
        #expect(error == HTTPError(.unreachable, host: "no-such-name.invalid", "its name can't be resolved"))
    }

    @Test func `it accepts the connection and sends nothing`() async throws {
        let server = try ScriptedHTTPServer { $0.waitForEnd() }
        try await withClient(.init(connectDeadline: .seconds(3_600))) { client in
            var request = HTTPRequest(.get, server.url())
            request.deadline = .milliseconds(50)
            let error = Mutex<HTTPError?>(nil)
            let task = Task { [request] in
                let found = await failure { try await client.send(request) }
                error.withLock { $0 = found }
            }
            // No other event wakes the event loop.
            try await wait(for: "the deadline") { error.withLock { $0 != nil } }
            #expect(error.withLock { $0 } == HTTPError(.timeout, host: "127.0.0.1", "over 0.05 seconds"))
            await task.value
        }
        server.stop()
    }

    @Test func `it doesn't take the connection in time`() async throws {
        // TLS begins, and never ends.
        let server = try ScriptedHTTPServer { $0.waitForEnd() }
        let error = try await withClient(.init(connectDeadline: .milliseconds(50))) { client in
            await failure { try await client.get("https://127.0.0.1:\(server.port)/") }
        }
        #expect(error == HTTPError(.unreachable, host: "127.0.0.1", "the connection timed out"))
        server.stop()
    }

    @Test func `it hangs up`() async throws {
        // The server may close before the connection is established.
        let early: [@Sendable (ScriptedHTTPClient) -> Void] = [{ $0.close() }, { $0.reset() }]
        for end in early {
            let code = try await code(outcome(end))
            #expect(code == .broken || code == .unreachable)
        }
        let late: [@Sendable (ScriptedHTTPClient) -> Void] = [
            { _ = $0.head() },
            {
                $0.head()
                $0.reset()
            }
        ]
        for end in late { #expect(try await code(outcome(end)) == .broken) }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nA: b", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 100 Continue\r\n\r\n"
    ])
    func `it hangs up in the middle`(_ answer: String) async throws {
        #expect(try await code(outcome(of: answer)) == .broken)
    }

    // MARK: No HTTP

    @Test(arguments: [
        "hello\r\n", "<html>hello</html>", "\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 20000 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    ])
    func `the response makes no sense`(_ answer: String) async throws {
        #expect(try await code(outcome(of: answer)) == .broken)
    }

    // MARK: Too much

    @Test(arguments: [
        "Content-Encoding: gzip, gzip", "Content-Encoding: gzip\r\nContent-Encoding: gzip",
        "content-encoding: gzip,\r\n gzip",
        "Transfer-Encoding: gzip, chunked\r\nContent-Encoding: gzip"
    ])
    func `the body is compressed several times`(_ fields: String) async throws {
        // "hello", packed twice; packed three times, 1,500 bytes keep libcurl busy for more than a second.
        let packed = try #require(
            Data(
                base64Encoded:
                    "H4sIAAAAAAACA5Pv5mAAASbm0x5nT55kZ2hbJmDGChQAAKdvtEUZAAAA"))
        let outcome = try await outcome { client in
            client.head()
            client.send("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: \(packed.count)\r\n\r\n")
            client.send(Array(packed))
        }
        #expect(throws: HTTPError(.broken, host: "127.0.0.1", "the response is compressed more than once")) {
            try outcome.get()
        }
    }

    @Test func `the header never ends`() async throws {
        let ok = "HTTP/1.1 200 OK\r\nFirst: 1\r\n"
        for (first, line) in [(ok, "A: b\r\n"), (ok, " more\r\n"), ("", "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n")] {
            let outcome = try await outcome { client in
                client.head()
                client.send(first)
                while client.send(String(repeating: line, count: 100)) {}
            }
            #expect(outcome == .failure(HTTPError(.tooLong, host: "127.0.0.1", "its header is longer than 256 KB")))
        }
    }

    @Test func `a header line never ends`() async throws {
        let outcome = try await outcome { client in
            client.head()
            client.send("HTTP/1.1 200 OK\r\nA: ")
            while client.send(String(repeating: "b", count: 10_000)) {}
        }
        // libcurl has its own limit for that.
        #expect([.broken, .tooLong].contains(code(outcome)))
    }

    @Test(arguments: ["", "Transfer-Encoding: chunked\r\n"])
    func `the body never ends`(_ field: String) async throws {
        let piece = field.isEmpty ? String(repeating: "b", count: 1_000) : "5\r\nhello\r\n"
        let serve: @Sendable (ScriptedHTTPClient) -> Void = { client in
            client.head()
            client.send("HTTP/1.1 200 OK\r\n\(field)\r\n")
            while client.send(piece) {}
        }
        let long = try await outcome(with: { $0.limit = 100_000 }, serve)
        #expect(long == .failure(HTTPError(.tooLong, host: "127.0.0.1", "over 100000 bytes")))
        let slow = try await outcome(
            with: {
                $0.limit = .max
                $0.deadline = .milliseconds(50)
            }, serve)
        #expect(code(slow) == .timeout)
    }

    @Test func `it redirects endlessly, each time to another URL`() async throws {
        let serve: @Sendable (ScriptedHTTPClient) -> Void = { client in
            var count = 0
            while client.head() != nil {
                count += 1
                client.answer("302 Found", ["Location: /\(count)"])
            }
        }
        #expect(try await code(outcome(serve)) == .redirects)
        // The deadline is for all of them together.
        let slow = try await outcome(
            with: {
                $0.redirects = .max
                $0.deadline = .milliseconds(200)
            }, serve)
        #expect(code(slow) == .timeout)
    }

    @Test(arguments: ["", "http://", "http://[", "file:///etc/passwd", "gopher://127.0.0.1/", "http://a b\0/", "//"])
    func `it redirects to an invalid location`(_ location: String) async throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
        switch try await outcome(of: answer) {
        // If there is nothing, that is no redirect.
        case .success(let response): #expect(response.status == 302 && location.isEmpty)
        case .failure(let error): #expect([.redirects, .broken].contains(error.code))
        }
    }

    // MARK: Odd, and fine

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", 200, "he"),
        ("HTTP/1.1 200 OK\r\n\r\nhello", 200, "hello"), ("HTTP/1.0 200\r\n\r\nhello", 200, "hello"),
        (
            "HTTP/1.1 100 Continue\r\nA: early\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
            200, "x"
        ),
        ("HTTP/1.1 204 No Content\r\n\r\nhello", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, ""),
        ("HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n", 999, ""),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", 200, "hello"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: trailer\r\n\r\n", 200,
            "hello"
        ),
        ("HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nhello", 302, "hello")
    ])
    func `it is odd, but an answer`(_ answer: String, _ status: Int, _ text: String) async throws {
        let response = try await outcome(of: answer).get()
        #expect(response.status == status && response.text == text)
        #expect(response.headers["A"] == nil)
    }

    @Test func `control characters in a response's header are dropped`() async throws {
        let answer = "HTTP/1.1 200 OK\r\nA: \u{1b}[31m\r\nB: b\u{7f}\r\nC\u{8}: c\r\nD: d\r\nContent-Length: 0\r\n\r\n"
        #expect(try await outcome(of: answer).get().headers == ["D": "d", "Content-Length": "0"])
    }

    @Test func `it sends byte by byte`() async throws {
        let outcome = try await outcome { client in
            client.head()
            for byte in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8 { client.send([byte]) }
            client.waitForEnd()
        }
        #expect(try outcome.get().text == "hello")
    }

    @Test func `it drips until the deadline`() async throws {
        let outcome = try await outcome(with: { $0.deadline = .milliseconds(100) }) { client in
            client.head()
            client.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n")
            while client.send("x"), client.end == nil {}
        }
        #expect(code(outcome) == .timeout)
    }

    @Test func `it closes a connection that is to be used again`() async throws {
        // Each answers once, and closes as if it had something to say still.
        let server = try ScriptedHTTPServer { client in
            client.head()
            client.answer()
        }
        try await withClient { client in
            for _ in 0..<50 {
                let response = try await client.get(server.url())
                #expect(response.status == 200)
            }
        }
        server.stop()
    }
}
