import Foundation
import Heybot
import HeybotTesting
import HeybotWebServer
import TestServers
import Testing

/// A server's connections, byte by byte.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ConnectionTests {
    private let script = InlineScript {
        $0.get("/hello/:name") { .text("Hello, \($0.parameters.name)!\n") }
        $0.post("/echo") { WebResponse(body: $0.body + Array("\n".utf8)) }
        $0.post("/token", proof: .token("secret")) { _ in .text("in") }
    }

    /// A connection that sends bytes, and then closes its own side.
    private func halfClosed(_ site: Site, _ text: String) throws -> ScriptedConnection {
        let socket = try Port.connect(to: site.port)
        let bytes = Array(text.utf8)
        #expect(write(socket, bytes, bytes.count) == bytes.count)
        #expect(shutdown(socket, Int32(SHUT_WR)) == 0)
        return ScriptedConnection(socket)
    }

    @Test func `a client that waits for permission to send a body gets it, unless the request is refused`() async throws
    {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send("POST /echo HTTP/1.1", "Host: h", "Expect: 100-continue", "Content-Length: 5", "")
            _ = try await client.expect("HTTP/1.1 100 Continue")
            client.sendRaw("hello".utf8)
            _ = try await client.expect("HTTP/1.1 200 OK")
            _ = try await client.expect("hello")
            for (line, status) in [
                ("POST /token HTTP/1.1", "401"), ("POST /unknown HTTP/1.1", "404"), ("POST /echo HTTP/1.1", "413")
            ] {
                let refused = try ScriptedConnection(connectingTo: site.port)
                refused.send(line, "Host: h", "Expect: 100-continue", "Content-Length: 500000000", "")
                _ = try await refused.expect("HTTP/1.1 \(status)")
                try await refused.expectEnd()
                #expect(!refused.received.contains { $0.contains("100 Continue") })
            }
        }
    }

    @Test func `a head that comes too slowly ends the connection, however often bytes arrive`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        configuration.bodyTimeout = .milliseconds(200)
        try await withSite(script, configuration) { site async throws in
            let slow = try ScriptedConnection(connectingTo: site.port)
            slow.sendRaw("GET /hello/Ada HTTP/1.1\r\nX-Slow: ".utf8)
            try await wait(for: "the end") {
                slow.sendRaw("x".utf8)
                return slow.hasEnded
            }
            #expect(slow.received == [])
        }
    }

    @Test(arguments: ["zz\r\nhello", "-1\r\nhello", "5\r\nhello0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\nhello"])
    func `an invalid chunk is refused`(_ text: String) async throws {
        try await withSite(script) { site async throws in
            let hostile = try ScriptedConnection(connectingTo: site.port)
            hostile.send("POST /echo HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", text, "")
            _ = try await hostile.expect("HTTP/1.1 400 Bad Request")
            try await hostile.expectEnd()
            #expect(!hostile.received.contains { $0.contains("200 OK") })
        }
    }

    @Test func `a client that has closed its side gets its responses`() async throws {
        var configuration = NIOHTTPServer.Configuration()
        // Much longer than the test's limit.
        configuration.bodyTimeout = .seconds(3_600)
        try await withSite(script, configuration) { site async throws in
            let requests = ["Ada", "Bob"].map { "GET /hello/\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
            let client = try halfClosed(site, requests.joined())
            _ = try await client.expect("Hello, Ada!")
            _ = try await client.expect("Hello, Bob!")
            try await client.expectEnd()
            for text in [
                "GET /hello/Ada HTTP/1.1\r\nHos", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel",
                "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
            ] {
                let cut = try halfClosed(site, text)
                _ = try await cut.expect("HTTP/1.1 400 Bad Request")
                try await cut.expectEnd()
                #expect(!cut.received.contains { $0.contains("200 OK") }, "\(text)")
            }
        }
    }

    @Test func `the next request isn't begun before the response of the last`() async throws {
        let events = StringRecorder()
        let slow = InlineScript {
            $0.get("/slow/:number") { request in
                events.add("begin \(request.parameters.number)")
                try await Task.sleep(for: .milliseconds(5))
                events.add("end \(request.parameters.number)")
                return .empty
            }
        }
        try await withSite(slow) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send((0..<20).flatMap { ["GET /slow/\($0) HTTP/1.1", "Host: h", ""] })
            for _ in 0..<20 { _ = try await client.expect("HTTP/1.1 204 No Content") }
            #expect(events.all == (0..<20).flatMap { ["begin \($0)", "end \($0)"] })
        }
    }

    @Test func `a client that sends more than is answered has to wait`() async throws {
        let release = StringRecorder()
        let slow = InlineScript {
            $0.get("/slow") { _ in
                while release.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                return .empty
            }
        }
        try await withSite(slow) { site async throws in
            let socket = try Port.connect(to: site.port)
            defer { close(socket) }
            let heads = [
                "GET /slow HTTP/1.1", "Host: h", "", "POST /next HTTP/1.1", "Host: h", "Content-Length: 1000000000", "",
                ""
            ]
            let request = Array(heads.joined(separator: "\r\n").utf8)
            #expect(write(socket, request, request.count) == request.count)
            let flood = [UInt8](repeating: 0x61, count: 1 << 20)
            var sent = 0
            while sent < 64 << 20 {
                let count = send(socket, flood, flood.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count > 0 { sent += count }
                guard count <= 0 else { continue }
                // A server that reads makes room soon.
                var place = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                if poll(&place, 1, 1_000) == 0 { break }
            }
            #expect(sent < 64 << 20)
            release.add("")
        }
    }

    @Test func `a client that doesn't read a file is disconnected`() async throws {
        let folder = try ScratchFolder()
        try folder.write("", to: "big")
        #expect(truncate(folder.path("big"), 64 << 20) == 0)
        var configuration = NIOHTTPServer.Configuration()
        configuration.files = folder.path
        configuration.bodyTimeout = .milliseconds(200)
        configuration.connections = 1
        try await withSite(script, configuration) { site async throws in
            let socket = try Port.connect(to: site.port)
            defer { close(socket) }
            let request = Array("GET /big HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            #expect(write(socket, request, request.count) == request.count)
            while (try? await site.status("{}/hello/Ada")) != "200" {}
        }
    }

    @Test func `nothing after the last request of a connection is answered`() async throws {
        let names = StringRecorder()
        let script = InlineScript {
            $0.get("/hello/:name") {
                names.add($0.parameters.name)
                return .empty
            }
        }
        try await withSite(script) { site async throws in
            let smuggled = "GET /hello/smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
            for (request, status) in [
                ("GET /hello/last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "204"),
                ("POST /unknown HTTP/1.1\r\nHost: h\r\nContent-Length: \(smuggled.utf8.count)\r\n\r\n", "404"),
                ("POST /unknown HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "404"),
                ("GET /hello/last HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "204")
            ] {
                let client = try ScriptedConnection(connectingTo: site.port)
                client.sendRaw("\(request)\(smuggled)\(smuggled)".utf8)
                _ = try await client.expect("HTTP/1.1 \(status)")
                _ = try await client.expect("Connection: close")
                try await client.expectEnd()
                #expect(client.received.count { $0.hasPrefix("HTTP/1.1") } == 1, "\(request)")
            }
            #expect(names.all == ["last", "last"])
        }
    }

    @Test func `a HEAD response is followed by the next response at once`() async throws {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send("HEAD /hello/Ada HTTP/1.1", "Host: h", "", "GET /hello/Bob HTTP/1.1", "Host: h", "")
            _ = try await client.expect("Hello, Bob!")
            #expect(!client.received.contains("Hello, Ada!"))
            #expect(client.received.count { $0.lowercased() == "content-length: 12" } == 2)
        }
    }

    @Test func `an absolute URL is a valid target`() async throws {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send("GET http://other.example/hello/Ada?a=b HTTP/1.1", "Host: other.example", "")
            _ = try await client.expect("Hello, Ada!")
            client.send("GET http://other.example HTTP/1.1", "Host: other.example", "")
            _ = try await client.expect("HTTP/1.1 404 Not Found")
        }
    }

    @Test func `every response has a date`() async throws {
        try await withSite(script) { site async throws in
            let client = try ScriptedConnection(connectingTo: site.port)
            client.send("GET /hello/Ada HTTP/1.1", "Host: h", "", "GARBAGE", "")
            for _ in 0..<2 {
                try await client.expect(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
            }
        }
    }

    @Test func `too many header fields, and one that is too long, are refused`() async throws {
        try await withSite(script) { site async throws in
            for fields in [(0..<1_001).map { "X-\($0): y" }, ["X: \(String(repeating: "y", count: 90_000))"]] {
                let hostile = try ScriptedConnection(connectingTo: site.port)
                hostile.send(["GET /hello/Ada HTTP/1.1", "Host: h"] + fields + [""])
                _ = try await hostile.expect("HTTP/1.1 400 Bad Request")
                try await hostile.expectEnd()
            }
        }
    }

    @Test func `many connections that are reset at any point do no harm`() async throws {
        try await withSite(script) { site async throws in
            let request = Array("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello".utf8)
            for length in 0...request.count {
                let client = try ScriptedConnection(connectingTo: site.port)
                client.sendRaw(request.prefix(length))
                client.reset()
            }
            #expect(try await site.curl("{}/hello/Ada") == "Hello, Ada!\n")
        }
    }

    @Test func `if the robot stops, idle connections end at once, and pending requests are answered`() async throws {
        let release = StringRecorder()
        let slow = InlineScript {
            $0.get("/hello") { _ in .empty }
            $0.get("/slow") { request in
                request.robot.stop()
                while release.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
                return .text("done\n")
            }
        }
        try await withSite(slow) { site async throws in
            let idle = try ScriptedConnection(connectingTo: site.port)
            idle.send("GET /hello HTTP/1.1", "Host: h", "")
            _ = try await idle.expect("HTTP/1.1 204 No Content")
            let partial = try ScriptedConnection(connectingTo: site.port)
            partial.sendRaw("GET /hello HTTP/1.1\r\nHost".utf8)
            let busy = try ScriptedConnection(connectingTo: site.port)
            busy.send("GET /slow HTTP/1.1", "Host: h", "", "GET /hello HTTP/1.1", "Host: h", "")
            try await idle.expectEnd()
            try await partial.expectEnd()
            release.add("")
            _ = try await busy.expect("HTTP/1.1 200 OK")
            _ = try await busy.expect("done")
            _ = try await busy.expect("HTTP/1.1 503 Service Unavailable")
            _ = try await busy.expect("Connection: close")
            try await busy.expectEnd()
        }
    }
}
