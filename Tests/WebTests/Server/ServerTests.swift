import Foundation
import Heybot
import HeybotTesting
import HeybotWebServer
import Logging
import TestServers
import Testing

/// Asked by `curl`, as others ask.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ServerTests {
    private let script = InlineScript {
        $0.get("/hello/:name") { .text("Hello, \($0.parameters.name)!") }
        $0.post("/echo") { request in
            WebResponse(headers: ["Content-Type": request.headers["Content-Type"] ?? "none"], body: request.body)
        }
        $0.get("/nothing") { _ in .empty }
        $0.get("/who") { .text("\($0.client ?? "nobody") \($0.headers["X-Twice"] ?? "")") }
        $0.get("/away") { _ in .redirect(to: "/nothing") }
        $0.get("/hostile") { _ in WebResponse(headers: ["X-A": "b\r\nX-Evil: c", "X-B": "b"]) }
    }

    @Test func `a route is answered`() async throws {
        try await withSite(script) { site async throws in
            #expect(try await site.curl("{}/hello/Ada%20L.") == "Hello, Ada L.!")
            #expect(try await site.curl("-d", "a=1&b=2", "{}/echo") == "a=1&b=2")
            #expect(try await site.curl("-H", "X-Twice: 1", "-H", "X-Twice: 2", "{}/who") == "127.0.0.1 1, 2")
            #expect(try await site.status("{}/nothing") == "204")
            #expect(try await site.status("{}/away") == "303")
            #expect(try await site.status("{}/unknown") == "404")
            #expect(try await site.status("-X", "PUT", "{}/echo") == "405")
        }
    }

    @Test func `the root redirects to the help page, if there is one`() async throws {
        try await withSite(script) { site async throws in
            #expect(try await site.status("{}/") == "404")
        }
        let helpful = InlineScript { $0.get("/heybot/help") { _ in .text("help") } }
        try await withSite(helpful) { site async throws in
            for path in ["", "/", "/?a=b", "/heybot", "/heybot/", "/hubot"] {
                #expect(try await site.curl("-L", "{}\(path)") == "help", "\(path)")
            }
            #expect(try await site.curl("-I", "{}/").contains("Location: /heybot/help"))
            #expect(try await site.status("-X", "POST", "{}/") == "404")
        }
        let folder = try ScratchFolder()
        try folder.write("own", to: "index.html")
        var configuration = NIOHTTPServer.Configuration()
        configuration.files = folder.path
        try await withSite(helpful, configuration) { site async throws in
            #expect(try await site.curl("-L", "{}/") == "own")
        }
    }

    @Test func `it warns about a default address`() async throws {
        for (isChosen, credentials, count) in [
            (false, nil, 1), (true, nil, 0), (false, NIOHTTPServer.Credentials(user: "ada", password: "secret"), 0)
        ] {
            var configuration = NIOHTTPServer.Configuration()
            configuration.isAddressChosen = isChosen
            configuration.credentials = credentials
            let log = TestLog()
            try await withSite(script, configuration, logger: log.logger) { _ in }
            #expect(log.lines(from: .warning).count == count)
        }
    }

    @Test func `a HEAD response has the header fields and no body`() async throws {
        try await withSite(script) { site async throws in
            let head = try await site.curl("-I", "{}/hello/Ada")
            #expect(head.hasPrefix("HTTP/1.1 200"))
            #expect(head.contains("Content-Length: 11"))
            #expect(head.contains("X-Content-Type-Options: nosniff"))
        }
    }

    @Test func `no value can inject a header line`() async throws {
        try await withSite(script) { site async throws in
            let head = try await site.curl("-I", "{}/hostile")
            #expect(!head.contains("Evil"))
            #expect(head.contains("X-B: b"))
        }
    }

    @Test func `a body is complete, in one chunk or many`() async throws {
        try await withSite(script) { site async throws in
            let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let path = site.folder.path("body")
            try bytes.write(to: URL(filePath: path))
            for mode in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
                let answer = site.folder.path("answer")
                _ = try await site.curl("--data-binary", "@\(path)", "-H", mode, "-o", answer, "{}/echo")
                #expect(try Data(contentsOf: URL(filePath: answer)) == bytes, "\(mode)")
            }
        }
    }

    @Test func `a body over the limit is refused, with or without Content-Length, and others continue`() async throws {
        var limits = Robot.Limits()
        limits.body = 1_000
        try await withSite(script, limits: limits) { site async throws in
            let path = site.folder.path("body")
            try Data(repeating: 0, count: 5_000_000).write(to: URL(filePath: path))
            #expect(try await site.status("-H", "Expect:", "--data-binary", "@\(path)", "{}/echo") == "413")
            #expect(
                try await site.status(
                    "-H", "Expect:", "-H", "Transfer-Encoding: chunked", "--data-binary", "@\(path)", "{}/echo")
                    == "413")
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
        }
    }

    @Test func `a client that is too slow gets an error, and is disconnected`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.bodyTimeout = .milliseconds(300)
        try await withSite(script, configuration) { site async throws in
            var isAnswered = false
            while !isAnswered {
                let slow = try ScriptedConnection(connectingTo: site.port)
                slow.send("POST /echo HTTP/1.1", "Host: here", "Content-Length: 10", "", "abc")
                // On a busy machine, the head may come too late too; then there is no answer.
                try await slow.expectEnd()
                isAnswered = slow.received.contains { $0.contains("HTTP/1.1 408 Request Timeout") }
            }

            let silent = try ScriptedConnection(connectingTo: site.port)
            silent.sendRaw("GET /hello/Ada HTTP/1.1\r\nHost".utf8)
            try await silent.expectEnd()
        }
    }

    @Test func `an unread body closes the connection`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.credentials = .init(user: "ada", password: "secret")
        try await withSite(script, configuration) { site async throws in
            let stranger = try ScriptedConnection(connectingTo: site.port)
            stranger.send("POST /echo HTTP/1.1", "Host: here", "Transfer-Encoding: chunked", "", "5", "hello")
            _ = try await stranger.expect("HTTP/1.1 401 Unauthorized")
            _ = try await stranger.expect("Connection: close")
            try await stranger.expectEnd()
        }
    }

    @Test func `a missing body doesn't keep the robot from stopping`() async throws {
        try await withSite(script) { site async throws in
            let slow = try ScriptedConnection(connectingTo: site.port)
            slow.send("POST /echo HTTP/1.1", "Host: here", "Content-Length: 10", "", "abc")
            _ = try await site.curl("{}/hello/Ada")
            site.robot.stop()
            _ = try await slow.expect("HTTP/1.1 503 Service Unavailable")
        }
    }

    @Test func `a route whose share is full of slow bodies leaves the others theirs`() async throws {
        let script = InlineScript {
            $0.post("/signed", limit: 32 << 20, proof: .signature("secret")) { _ in .text("in") }
            $0.post("/other", limit: 32 << 20) { .text("\($0.body.count)") }
        }
        try await withSite(script) { site async throws in
            let part = [UInt8](repeating: 0x61, count: 20 << 20)
            var hostile: [ScriptedConnection] = []
            defer { withExtendedLifetime(hostile) {} }
            for _ in 0..<8 {
                let slow = try ScriptedConnection(connectingTo: site.port)
                slow.send(
                    "POST /signed HTTP/1.1", "Host: here", "X-Hub-Signature-256: sha256=0", "Content-Length: 31000000",
                    "")
                slow.sendRaw(part)
                hostile.append(slow)
            }
            // The share is full once one of them gets the error.
            while !hostile.contains(where: { $0.received.contains { $0.contains("503 Service Unavailable") } }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let path = site.folder.path("body")
            try Data(repeating: 0x62, count: 20 << 20).write(to: URL(filePath: path))
            #expect(try await site.curl("-H", "Expect:", "--data-binary", "@\(path)", "{}/other") == "\(20 << 20)")
        }
    }

    @Test func `a request without proof is refused before its body is read`() async throws {
        let script = InlineScript {
            $0.post("/signed", proof: .signature("secret")) { _ in .text("in") }
            $0.post("/token", proof: .token("secret")) { _ in .text("in") }
        }
        try await withSite(script) { site async throws in
            for (path, header, word) in [
                ("/signed", "X-Other: 1", "The signature in the header"), ("/token", "X-Other: 1", "token is missing"),
                ("/token", "Authorization: Bearer other", "token is wrong")
            ] {
                let stranger = try ScriptedConnection(connectingTo: site.port)
                stranger.send("POST \(path) HTTP/1.1", "Host: here", header, "Content-Length: 1000", "")
                _ = try await stranger.expect("HTTP/1.1 401 Unauthorized")
                _ = try await stranger.expect { $0.contains(word) }
                try await stranger.expectEnd()
            }
            #expect(try await site.curl("-H", "Authorization: Bearer secret", "-d", "x", "{}/token") == "in")
        }
    }

    @Test func `with all connections taken the one that does nothing for longest ends`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 5
        try await withSite(script, configuration) { site async throws in
            let first = try ScriptedConnection(connectingTo: site.port)
            first.sendRaw("GET /hello/Ada HTTP/1.1\r\nHost".utf8)
            let others = try (0..<5).map { _ in try ScriptedConnection(connectingTo: site.port) }
            try await first.expectEnd()
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
            withExtendedLifetime(others) {}
        }
    }

    @Test func `bodies that don't come take no connection from others`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 5
        try await withSite(script, configuration) { site async throws in
            let slow = try (0..<5).map { _ in
                let slow = try ScriptedConnection(connectingTo: site.port)
                slow.send("POST /echo HTTP/1.1", "Host: here", "Content-Length: 10", "", "abc")
                return slow
            }
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `a client that doesn't read its response is disconnected`() async throws {
        let script = InlineScript {
            $0.get("/long") { _ in .text(String(repeating: "x", count: 50_000_000)) }
            $0.get("/hello/:name") { .text("Hello, \($0.parameters.name)!") }
        }
        var configuration = NIOHTTPServer.Configuration()
        configuration.bodyTimeout = .milliseconds(200)
        configuration.connections = 1
        try await withSite(script, configuration) { site async throws in
            let socket = try Port.connect(to: site.port)
            defer { close(socket) }
            let request = Array("GET /long HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            #expect(write(socket, request, request.count) == request.count)
            // It has the only connection, which is being answered, so others get none until it is closed.
            while (try? await site.status("{}/hello/Ada")) != "200" {}
        }
    }

    @Test(arguments: [
        "GARBAGE", "GET / HTTP/9.9\r\nHost: h\r\n", "GET /hello/a HTTP/1.1\r\nBad Header: x\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /nothing",
        "GET /hello/a HTTP/1.1\r\nX: \u{0}\r\n", "GET /hello/a HTTP/1.1\r\n",
        "GET /hello/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "GET /hello/a HTTP/1.1\r\nHost: a, b\r\n",
        "GET /hello/a HTTP/1.1\r\nHost: a@b\r\n", "GET /hello/a HTTP/1.0\r\nHost: a\r\nHost: a\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity, chunked\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \u{0B}chunked\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n",
        "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /nothing HTTP/1.0\r\n"
    ]) func `invalid HTTP is refused, and others continue`(_ text: String) async throws {
        try await withSite(script) { site async throws in
            let hostile = try ScriptedConnection(connectingTo: site.port)
            hostile.send(text, "")
            _ = try await hostile.expect("HTTP/1.1 400 Bad Request")
            try await hostile.expectEnd()
            #expect(!hostile.received.contains { $0.contains("HTTP/1.1 20") })
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
        }
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.0", "X: y", true), ("GET /nothing HTTP/1.0", "Connection: keep-alive", false),
        ("GET /nothing HTTP/1.1\r\nHost: h", "X: y", false),
        ("GET /nothing HTTP/1.1\r\nHost: h", "Connection: close", true),
        ("GET /nothing HTTP/1.1\r\nHost: h", "Connection: TE, Close", true),
        ("GET /nothing HTTP/1.1\r\nHost:", "X: y", false)
    ]) func `a connection closes after the response if the client asks for it`(
        _ line: String, _ field: String, _ ends: Bool
    ) async throws {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send(line, field, "")
            _ = try await client.expect("HTTP/1.1 204 No Content")
            if ends { return try await client.expectEnd() }
            client.send("GET /who HTTP/1.1", "Host: h", "")
            _ = try await client.expect("HTTP/1.1 200 OK")
        }
    }

    @Test func `of many requests at once each is answered, in their order`() async throws {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            for number in 0..<500 { client.send("GET /hello/\(number) HTTP/1.1", "Host: h", "") }
            client.send("GET /hello/last HTTP/1.1", "Host: h", "Connection: close", "")
            try await client.expectEnd()
            // The last one's body ends no line.
            #expect(client.received.count { $0.hasSuffix("HTTP/1.1 200 OK") } == 501)
            let names = client.received.flatMap { $0.matches(of: /Hello, (\w+)!/).map { String($0.1) } }
            #expect(names == (0..<500).map(String.init))
        }
    }

    @Test func `connections of one client displace none of another's`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 8
        try await withSite(script, configuration) { site async throws in
            let quiet = try ScriptedConnection(connectingTo: site.port)
            let busy = try ScriptedConnection(connectingTo: site.port)
            busy.send("POST /echo HTTP/1.1", "Host: here", "Content-Length: 3", "", "a")
            // Idle ones, and bodies that don't come.
            var hostile: [ScriptedConnection] = []
            for number in 0..<40 {
                let next = ScriptedConnection(try Self.connect(from: "127.0.0.2", to: site.port))
                if number.isMultiple(of: 2) {
                    next.send("POST /echo HTTP/1.1", "Host: here", "Expect: 100-continue", "Content-Length: 3", "")
                    // Otherwise the next one may come while this one is still idle, and end it.
                    _ = try await next.expect("HTTP/1.1 100 Continue")
                    next.sendRaw("a".utf8)
                }
                hostile.append(next)
            }
            for other in hostile.prefix(30) { try await other.expectEnd() }
            quiet.send("GET /nothing HTTP/1.1", "Host: h", "")
            _ = try await quiet.expect("HTTP/1.1 204 No Content")
            busy.sendRaw("b".utf8)
            _ = try await busy.expect("HTTP/1.1 200 OK")
            withExtendedLifetime(hostile) {}
        }
    }

    @Test func `many clients with an idle connection each lock out no other`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 6
        let script = InlineScript { $0.get("/hello/:name") { .text("Hello, \($0.parameters.name)!") } }
        try await withSite(script, configuration) { site async throws in
            let hostile = try (2..<8).map { ScriptedConnection(try Self.connect(from: "127.0.0.\($0)", to: site.port)) }
            for one in hostile { one.send("GET /hello/Eve HTTP/1.1", "Host: h", "") }
            for one in hostile { _ = try await one.expect("HTTP/1.1 200 OK") }
            // They are idle when their answers have gone out.
            var answer: String?
            for _ in 0..<100 where answer != "Hello, Ada!" { answer = try? await site.curl("{}/hello/Ada") }
            #expect(answer == "Hello, Ada!")
            withExtendedLifetime(hostile) {}
        }
    }

    @Test func `answers that one address doesn't take leave connections to another`() async throws {
        let script = InlineScript {
            $0.get("/long") { _ in .text(String(repeating: "x", count: 20_000_000)) }
            $0.get("/hello/:name") { .text("Hello, \($0.parameters.name)!") }
        }
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 6
        try await withSite(script, configuration) { site async throws in
            let request = Array("GET /long HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            let sockets = try (0..<6).map { _ in try Self.connect(from: "127.0.0.2", to: site.port) }
            defer { for socket in sockets { close(socket) } }
            for socket in sockets {
                #expect(write(socket, request, request.count) == request.count)
                // It is being answered when something of that comes.
                var place = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                #expect(poll(&place, 1, 600_000) == 1)
            }
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
        }
    }

    @Test func `a client whose connections are all being answered displaces no other client`() async throws {
        let (asked, release) = (StringRecorder(), StringRecorder())
        let script = InlineScript {
            $0.get("/slow") { _ in
                asked.add("")
                while release.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                return .text("at last")
            }
        }
        var configuration = NIOHTTPServer.Configuration()
        configuration.connections = 4
        try await withSite(script, configuration) { site async throws in
            let bob = try ScriptedConnection(connectingTo: site.port)
            bob.send("GET /nothing HTTP/1.1", "Host: h", "")
            _ = try await bob.expect("HTTP/1.1 404 Not Found")
            let slow = try (0..<3).map { _ in ScriptedConnection(try Self.connect(from: "127.0.0.2", to: site.port)) }
            for one in slow { one.send("GET /slow HTTP/1.1", "Host: h", "") }
            while asked.all.count < 3 { await Task.yield() }
            let more = ScriptedConnection(try Self.connect(from: "127.0.0.2", to: site.port))
            try await more.expectEnd()
            bob.send("GET /nothing HTTP/1.1", "Host: h", "")
            _ = try await bob.expect("HTTP/1.1 404 Not Found")
            release.add("")
            for one in slow { _ = try await one.expect("HTTP/1.1 200 OK") }
        }
    }

    /// A socket that is connected from one of this machine's addresses.
    private static func connect(from address: String, to port: Int) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        func place(_ address: String, _ port: Int) -> sockaddr_in {
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, address, &place.sin_addr)
            return place
        }
        let ends: [(sockaddr_in, (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32)] = [
            (place(address, 0), { bind($0, $1, $2) }), (place("127.0.0.1", port), { Foundation.connect($0, $1, $2) })
        ]
        for (end, call) in ends {
            var end = end
            let result = withUnsafePointer(to: &end) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else {
                close(client)
                throw TestServerError.failed("nothing can be reached from \(address)")
            }
        }
        return client
    }

    @Test func `endless header fields end the connection`() async throws {
        try await withSite(script) { site async throws in
            let hostile = try ScriptedConnection(connectingTo: site.port)
            hostile.send("GET /hello/a HTTP/1.1", "Host: h")
            let field = "X-Filler: \(String(repeating: "x", count: 1_000))"
            for _ in 0..<100 { hostile.send([String](repeating: field, count: 10)) }
            try await hostile.expectEnd()
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
        }
    }

    @Test func `if there is a password, only requests with it are answered`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.credentials = .init(user: "ada", password: "pass:word")
        try await withSite(script, configuration) { site async throws in
            #expect(try await site.status("-u", "ada:pass:word", "{}/hello/Ada") == "200")
            for user in ["ada:pass", "ada:", ":", "eve:pass:word", "ada:pass:word2"] {
                #expect(try await site.status("-u", user, "{}/hello/Ada") == "401", "\(user)")
            }
            #expect(try await site.status("-H", "Authorization: Basic !!!", "{}/hello/Ada") == "401")
            let head = try await site.curl("-I", "{}/unknown")
            #expect(head.contains("401"))
            #expect(head.contains("WWW-Authenticate: Basic realm="))
        }
    }

    @Test func `files are served if no script answers, and nothing outside their folder`() async throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path("files/sub"), withIntermediateDirectories: true)
        for (name, text) in [
            ("files/page.html", "<p>page"), ("files/sub/index.html", "<p>index"), ("files/.secret", "secret"),
            ("outside", "secret"), ("files/nothing", "hidden by the route")
        ] { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
        var configuration = NIOHTTPServer.Configuration()
        configuration.files = folder.path("files")
        try await withSite(script, configuration) { site async throws in
            #expect(try await site.curl("{}/page.html") == "<p>page")
            #expect(try await site.curl("-I", "{}/page.html").contains("text/html"))
            #expect(try await site.curl("{}/sub/") == "<p>index")
            #expect(try await site.status("{}/nothing") == "204")
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!")
            for path in [
                "/.secret", "/%2Esecret", "/../outside", "/sub/../../outside", "/%2e%2e/outside",
                "/sub/%2e%2e%2f%2e%2e%2foutside",
                "/%252e%252e/outside", "/%252e%252e%252foutside", "/sub/..%5c..%5coutside", "/%c0%ae%c0%ae/outside",
                "/..;/outside", "/missing", "//etc/passwd", "/sub%2F.secret", "/sub%2f..%2f.secret", "/page.html%00"
            ] {
                let answer = try await site.curl("--path-as-is", "-i", "{}\(path)")
                #expect(!answer.contains("secret"), "\(path)")
                #expect(answer.contains("HTTP/1.1 404") || answer.contains("HTTP/1.1 400"), "\(path): \(answer)")
            }
            #expect(try await site.status("-X", "POST", "{}/page.html") == "404")
        }
    }

    @Test func `a port in use is reported in one line, with the fix`() async throws {
        try await withSite(script) { site async throws in
            var configuration = NIOHTTPServer.Configuration()
            configuration.address = "127.0.0.1"
            configuration.port = site.port
            let robot = Robot(
                adapters: [SilentAdapter()], brain: Brain(store: MemoryStore()), scripts: [script],
                server: NIOHTTPServer(configuration))
            let error = await #expect(throws: WebServerListenError.self) { try await robot.run() }
            #expect(
                error?.description
                    == "the web server can't listen on 127.0.0.1, port \(site.port): the port is in use; set PORT to "
                    + "another port, or disable the server with -d")
        }
    }

    @Test func `a server shares its port with its successor, but not with a stranger`() async throws {
        var shared = NIOHTTPServer.Configuration()
        shared.sharesPort = true
        try await withSite(script, shared) { site async throws in
            var configuration = NIOHTTPServer.Configuration()
            configuration.address = "127.0.0.1"
            configuration.port = site.port
            configuration.sharesPort = true
            let (ports, told) = AsyncStream<Int>.makeStream()
            let successor = Robot(
                adapters: [SilentAdapter()], brain: Brain(store: MemoryStore()), scripts: [script],
                server: NIOHTTPServer(configuration) { told.yield($0) })
            async let running: Void = successor.run()
            let port = await ports.first(where: { _ in true })
            #expect(port == site.port)
            successor.stop()
            try await running

            configuration.requiresFreePort = true
            let stranger = Robot(
                adapters: [SilentAdapter()], brain: Brain(store: MemoryStore()), scripts: [script],
                server: NIOHTTPServer(configuration))
            let error = await #expect(throws: WebServerListenError.self) { try await stranger.run() }
            #expect(error?.reason.contains("the port is in use") == true)
        }
    }

    @Test(arguments: ["192.0.2.1", "no such address"]) func `so is an address this machine hasn't`(
        _ address: String
    ) async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.address = address
        let robot = Robot(
            adapters: [SilentAdapter()], brain: Brain(store: MemoryStore()), scripts: [script],
            server: NIOHTTPServer(configuration))
        let error = await #expect(throws: WebServerListenError.self) { try await robot.run() }
        #expect(error?.description.contains("set BIND_ADDRESS") == true, "\(error?.description ?? "")")
    }

    @Test func `a running request is completed when the robot stops`() async throws {
        let release = StringRecorder()
        let slow = InlineScript {
            $0.get("/slow") { request in
                request.robot.stop()
                while release.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                return .text("done")
            }
        }
        try await withSite(slow) { site async throws in
            async let answer = site.curl("{}/slow")
            // Nobody else gets in any more.
            try await wait(for: "the server to stop listening") {
                guard let socket = try? Port.connect(to: site.port) else { return true }
                close(socket)
                return false
            }
            release.add("")
            #expect(try await answer == "done")
        }
    }
}
