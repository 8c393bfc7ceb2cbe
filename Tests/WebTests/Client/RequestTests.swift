import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import CurlClient

/// Requests on the wire.
@Suite(.timeLimit(.minutes(15))) struct RequestTests {
    @Test func `a request has the script's target and credentials`() async throws {
        let (line, fields, body) = try await asked(
            HTTPRequest(.get, "/a%20b", query: ["c": "d e"], headers: ["X": " y "]))
        #expect(line == "GET /a%20b?c=d%20e HTTP/1.1")
        #expect(fields["user-agent"] == " Heybot")
        #expect(fields["x"] == " y")
        #expect(fields["accept-encoding"]?.contains("gzip") == true)
        #expect(fields["host"]?.hasPrefix(" 127.0.0.1:") == true)
        #expect(Set(fields.keys) == ["host", "user-agent", "accept", "accept-encoding", "x"])
        #expect(body == "")
    }

    @Test func `a body is sent with its type, and without Expect`() async throws {
        let text = String(repeating: "ü", count: 1_000_000)
        for method in [HTTPMethod.post, .put, .patch, .delete, .get] {
            let (line, fields, body) = try await asked(
                HTTPRequest(method, "/", body: .text(text)), bodyCount: text.utf8.count)
            #expect(line == "\(method) / HTTP/1.1")
            #expect(fields["content-length"] == " 2000000")
            #expect(fields["content-type"] == " text/plain; charset=utf-8")
            #expect(fields["expect"] == nil && fields["transfer-encoding"] == nil)
            #expect(body == text)
        }
    }

    @Test(arguments: [
        (HTTPMethod.post, true), (.put, true), (.patch, true), (.get, false), (.delete, false), (.options, false)
    ])
    func `an empty body has a Content-Length if the method expects a body`(_ method: HTTPMethod, _ isSaid: Bool)
        async throws
    {
        let (line, fields, _) = try await asked(HTTPRequest(method, "/"))
        #expect(line == "\(method) / HTTP/1.1")
        #expect(fields["content-length"] == (isSaid ? " 0" : nil))
        #expect(fields["content-type"] == nil)
    }

    @Test func `bytes are sent as they are`() async throws {
        let bytes: [UInt8] = [0, 13, 10, 0, 65]
        let (_, fields, body) = try await asked(HTTPRequest(.post, "/", body: HTTPRequestBody(bytes)), bodyCount: 5)
        #expect(Array(body.utf8) == bytes)
        #expect(fields["content-type"] == " application/octet-stream")
        let (_, none, _) = try await asked(HTTPRequest(.post, "/", body: HTTPRequestBody([])))
        #expect(none["content-length"] == " 0" && none["content-type"] == " application/octet-stream")
    }

    @Test func `a request's own fields win, but for those of the connection`() async throws {
        let headers: HTTPHeaders = [
            "user-agent": "me", "content-type": "text/x", "Accept": "text/y", "Content-Length": "1",
            "Transfer-Encoding": "chunked", "Expect": "100-continue", "Host": "other.example", "Accept-Encoding": "br"
        ]
        let (_, fields, body) = try await asked(
            HTTPRequest(.post, "/", headers: headers, body: .text("hello")), bodyCount: 5)
        #expect(fields["user-agent"] == " me" && fields["content-type"] == " text/x" && fields["accept"] == " text/y")
        #expect(fields["content-length"] == " 5" && fields["expect"] == nil && fields["transfer-encoding"] == nil)
        #expect(fields["host"] == " other.example" && fields["accept-encoding"] == " br")
        #expect(body == "hello")
    }

    @Test func `an empty field is sent, and a field may be sent several times`() async throws {
        let (_, fields, _) = try await asked(
            HTTPRequest(.get, "/", headers: ["Empty": "", "Blank": " \t ", "A": "1", "a": "2;3:4", "Accept": ""]))
        #expect(fields["empty"] == "" && fields["blank"] == "" && fields["accept"] == "")
        #expect(fields["a"] == " 1| 2;3:4")
    }

    @Test func `a body's type can't inject a header line`() async throws {
        let (_, fields, body) = try await asked(
            HTTPRequest(.post, "/", body: HTTPRequestBody([65], type: "text/x\r\nEvil: yes")), bodyCount: 1)
        #expect(fields["content-type"] == nil && fields["evil"] == nil)
        #expect(body == "A")
    }

    @Test func `a user in the URL becomes the header Authorization if that isn't set`() async throws {
        let server = try answering()
        try await withClient { client in
            let url = "http://us%65r:s%20cret@127.0.0.1:\(server.port)/"
            let response = try await client.get(url)
            #expect(response.url == server.url())
            _ = try await client.get(url, auth: .bearer("other"))
        }
        let received = server.clients.map(\.received).joined()
        #expect(received.contains("Authorization: Basic dXNlcjpzIGNyZXQ=\r\n"))
        #expect(received.contains("Authorization: Bearer other\r\n"))
        #expect(received.components("Authorization").count == 3)
        server.stop()
    }

    @Test(arguments: [
        ("file:///etc/passwd", "a URL without a host"), ("http:///x", "a URL without a host"),
        ("ftp://user:secret@h/secret", "h"), ("http://h/a b", "h"), ("http://user:secret@h/\r\nX: y", "h"),
        ("http://u:secret@h\\@evil/", "h"), ("", "a URL without a host")
    ])
    func `an invalid URL isn't requested`(_ url: String, _ host: String) async throws {
        let error = try await withClient { client in await failure { try await client.get(url) } }
        #expect(error == HTTPError(.badURL, host: host))
    }

    @Test func `the log has no path and no query`() async throws {
        let (log, server) = (TestLog(), try answering("404 Not Found"))
        try await withClient(.init(), log) { client in
            _ = try await client.get("http://user:secret@127.0.0.1:\(server.port)/secret?secret#secret")
            _ = await failure { try await client.post("http://user:secret@127.0.0.1:1/secret") }
        }
        let lines = log.lines(from: .debug)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("GET: 404 host=127.0.0.1 milliseconds="))
        #expect(lines[1].hasPrefix("POST: 127.0.0.1 can't be reached: it refuses the connection host=127.0.0.1 "))
        #expect(!lines.joined().contains("secret"))
        server.stop()
    }
}
