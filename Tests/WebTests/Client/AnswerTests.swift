import Foundation
import Heybot
import TestServers
import Testing

@testable import CurlClient

/// Responses of a real server, nginx.
@Suite(.timeLimit(.minutes(15)), .enabled(if: Nginx.isInstalled)) struct AnswerTests {
    private static let locations = """
        location = /hello { default_type text/plain; return 200 "hello\n"; }
        location = /missing { return 404 "nothing here"; }
        location = /connection { return 200 "$connection $server_protocol"; }
        location = /who { return 200 "$request_method $http_authorization $http_cookie"; }
        location = /echo { echo_read_request_body; echo "$request_method"; echo_request_body; }
        location = /private { auth_basic "private"; auth_basic_user_file users; echo -n "come in"; }
        location /packed/ { gzip on; gzip_types *; alias files/; }
        location ~ ^/to/(301)/(.*)$ { return 301 /$2; }
        location ~ ^/to/(302)/(.*)$ { return 302 /$2; }
        location ~ ^/to/(303)/(.*)$ { return 303 /$2; }
        location ~ ^/to/(307)/(.*)$ { return 307 /$2; }
        location ~ ^/to/(308)/(.*)$ { return 308 /$2; }
        location = /elsewhere { return 302 http://127.0.0.2:$server_port/who; }
        location = /insecure { return 302 http://127.0.0.1/who; }
        location = /loop { return 302 /loop; }
        location = /hints { add_header A 1; add_header A 2; add_header Empty ""; return 200; }
        """

    /// A server, a client that trusts it, and what they do.
    private func withServer(
        _ certificate: ServerCertificate = .none, _ body: (Nginx, CurlHTTPClient) async throws -> Void
    ) async throws {
        let server = try await Nginx.start(Self.locations, certificate: certificate)
        try server.folder.write("user:{PLAIN}secret\n", to: "users")
        try await withClient(.init(authorities: server.caFile)) { try await body(server, $0) }
        await server.stop()
    }

    // MARK: Answers

    @Test func `an answer has its status, fields and body`() async throws {
        try await withServer { server, client in
            let hello = try await client.get(server.url("/hello"))
            #expect(hello.status == 200 && hello.text == "hello\n" && hello.url == server.url("/hello"))
            #expect(hello.headers["content-type"] == "text/plain" && hello.headers["Content-Length"] == "6")
            let missing = try await client.get(server.url("/missing"))
            #expect(missing.status == 404 && missing.text == "nothing here")
            #expect(try await client.get(server.url("/hints")).headers.values(of: "a") == ["1", "2"])
        }
    }

    @Test func `every method gets its answer`() async throws {
        try await withServer { server, client in
            let head = try await client.head(server.url("/hello"))
            #expect(head.status == 200 && head.body.isEmpty && head.headers["Content-Length"] == "6")
            #expect(try await client.post(server.url("/echo"), .text("a")).text == "POST\na")
            #expect(try await client.put(server.url("/echo"), .text("b")).text == "PUT\nb")
            #expect(try await client.patch(server.url("/echo"), .form(["a": "b c"])).text == "PATCH\na=b%20c")
            #expect(try await client.delete(server.url("/echo")).text == "DELETE\n")
            let report = HTTPRequest(try #require(HTTPMethod(rawValue: "REPORT")), server.url("/echo"))
            #expect(try await client.send(report).text == "REPORT\n")
            // A body of a HEAD has no meaning.
            let request = HTTPRequest(.head, server.url("/hello"), body: .text("x"))
            #expect(try await client.send(request).status == 200)
            #expect(try await client.get(server.url("/hello")).text == "hello\n")
        }
    }

    @Test func `credentials come from the URL or from the header`() async throws {
        try await withServer { server, client in
            #expect(try await client.get(server.url("/private")).status == 401)
            let url = server.url("/private", host: "user:secret@127.0.0.1")
            #expect(try await client.get(url).text == "come in")
            let auth = HTTPAuthorization.basic(user: "user", password: "secret")
            #expect(try await client.get(server.url("/private"), auth: auth).text == "come in")
            let wrong = try await client.get(server.url("/private", host: "user:wrong@127.0.0.1"))
            #expect(wrong.status == 401)
            #expect(throws: HTTPError(.status(401), host: "127.0.0.1")) { try wrong.checked() }
        }
    }

    // MARK: Connections

    @Test func `a connection is used again`() async throws {
        try await withServer { server, client in
            var answers: Set<String> = []
            for _ in 0..<100 { answers.insert(try await client.get(server.url("/connection")).text) }
            #expect(answers.count == 1)
        }
    }

    @Test func `with TLS it speaks HTTP 2, over one connection`() async throws {
        try await withServer(.good) { server, client in
            var answers: Set<String> = []
            for _ in 0..<100 { answers.insert(try await client.get(server.secureURL("/connection")).text) }
            #expect(answers.count == 1 && answers.first?.hasSuffix("HTTP/2.0") == true)
            #expect(try await client.post(server.secureURL("/echo"), .text("hello")).text == "POST\nhello")
            #expect(try await client.head(server.secureURL("/hello")).headers["content-length"] == "6")
            let many = try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await client.get(server.secureURL("/hello")).text } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(many == [String](repeating: "hello\n", count: 100))
        }
    }

    // MARK: Long bodies

    @Test func `a body may be as long as its limit`() async throws {
        try await withServer { server, client in
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
            try Data(bytes).write(to: URL(filePath: server.folder.path("files/file")))
            for path in ["/file", "/packed/file"] {
                var request = HTTPRequest(.get, server.url(path))
                request.limit = 1_000_000
                #expect(try await client.send(request).body == bytes)
                request.limit = 999_999
                let error = await failure { try await client.send(request) }
                #expect(error == HTTPError(.tooLong, host: "127.0.0.1", "over 999999 bytes"))
                request.limit = -1
                #expect(await failure { try await client.send(request) }?.code == .tooLong)
                // That is how long it would be.
                request.method = .head
                #expect(try await client.send(request).status == 200)
            }
        }
    }

    @Test func `a decompression bomb is stopped`() async throws {
        try await withServer { server, client in
            let size = 200 << 20
            let file = open(server.folder.path("files/bomb"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            ftruncate(file, off_t(size))
            close(file)
            var request = HTTPRequest(.get, server.url("/packed/bomb"))
            request.limit = 1 << 20
            let before = residentMemory()
            forgetPeak()
            for _ in 0..<5 {
                let error = await failure { try await client.send(request) }
                #expect(error?.code == .tooLong)
            }
            // In KB; other tests run beside this one.
            #expect(peak() - before < size >> 11)
        }
    }

    /// Has the system count again what the process had at most (proc(5), clear_refs).
    private func forgetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        _ = write(file, "5", 1)
        close(file)
    }

    /// The process's peak memory in KB.
    private func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? .max
    }

    // MARK: Redirects

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func `redirects are followed as browsers follow them`(_ status: Int, _ method: String) async throws {
        try await withServer { server, client in
            let response = try await client.post(server.url("/to/\(status)/echo"), .text("body"))
            #expect(response.text == "\(method)\n" + (method == "POST" ? "body" : ""))
            #expect(response.url == server.url("/echo") && response.status == 200)
            #expect(response.headers["Location"] == nil)
            let head = try await client.head(server.url("/to/\(status)/hello"))
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func `there are as many redirects as are allowed`() async throws {
        try await withServer { server, client in
            var request = HTTPRequest(.get, server.url("/to/302/to/302/to/302/hello"))
            request.redirects = 3
            let hello = try await client.send(request)
            #expect(hello.text == "hello\n")
            request.redirects = 2
            let error = await failure { try await client.send(request) }
            #expect(error == HTTPError(.redirects, host: "127.0.0.1", "too many redirects"))
            #expect(await failure { try await client.get(server.url("/loop")) }?.code == .redirects)
            // The server logs a request after it has answered it.
            try await wait(for: "the log") { server.requests.count { $0.contains("/loop") } == 6 }
            request.url = server.url("/loop", host: "user:secret@2130706433")
            request.redirects = 0
            let none = await failure { try await client.send(request) }
            #expect(none?.code == .redirects && none?.host == "127.0.0.1")
        }
    }

    @Test func `another host doesn't get the credentials`() async throws {
        try await withServer { server, client in
            let headers: HTTPHeaders = ["Cookie": "a=b"]
            let auth = HTTPAuthorization.bearer("secret")
            let same = try await client.get(server.url("/to/302/who"), headers: headers, auth: auth)
            #expect(same.text == "GET Bearer secret a=b")
            let other = try await client.get(server.url("/elsewhere"), headers: headers, auth: auth)
            #expect(other.text == "GET  ")
            #expect(other.url == server.url("/who", host: "127.0.0.2"))
            // Nor by the user in the URL, which stays at the same place.
            #expect(try await client.get(server.url("/elsewhere", host: "user:secret@127.0.0.1")).text == "GET  ")
            let relative = try await client.get(server.url("/to/302/private", host: "user:secret@127.0.0.1"))
            #expect(relative.text == "come in")
        }
    }

    @Test func `redirects never leave TLS`() async throws {
        try await withServer(.good) { server, client in
            let error = await failure { try await client.get(server.secureURL("/insecure")) }
            #expect(error == HTTPError(.redirects, host: "localhost", "it redirects from https to http"))
        }
    }
}
