import Dispatch
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import CurlClient

/// Beginnings and ends: of requests, and of clients.
@Suite(.timeLimit(.minutes(15))) struct LifecycleTests {
    // MARK: Cancellation

    @Test func `a cancelled request is broken off`() async throws {
        let server = try ScriptedHTTPServer { client in
            client.head()
            client.waitForEnd()
        }
        // No other event wakes the event loop.
        try await withClient(.init(connectDeadline: .seconds(3_600))) { client in
            var request = HTTPRequest(.get, server.url())
            request.deadline = .seconds(3_600)
            let task = Task { [request] in try await client.send(request) }
            try await wait(for: "the request") { server.clients.first?.received.contains("\r\n\r\n") ?? false }
            task.cancel()
            try await wait(for: "the connection's end") { server.clients.first?.end != nil }
            await #expect(throws: CancellationError.self) { try await task.value }
            try await expectNothing(of: client)
        }
        server.stop()
    }

    @Test func `one that was cancelled before isn't begun`() async throws {
        let server = try answering()
        try await withClient { client in
            for _ in 0..<100 {
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await client.get(server.url())
                }
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
        #expect(server.clients.isEmpty)
        server.stop()
    }

    @Test func `a cancel may come before the start, and after the end`() async throws {
        let server = try answering()
        try await withClient { client in
            try await client.get(server.url()).checked()
            for hasBegun in [false, true] {
                let pending = PendingHTTPRequest(HTTPRequest(.get, server.url()), LeakCounter())
                if !hasBegun { client.engine.cancel(pending) }
                let task = Task<HTTPResponse, any Error> {
                    try await withCheckedThrowingContinuation { client.engine.start(pending, for: $0) }
                }
                let result = await task.result
                if hasBegun {
                    #expect(try result.get().status == 200)
                    client.engine.cancel(pending)
                } else {
                    #expect(throws: CancellationError.self) { try result.get() }
                }
            }
            try await client.get(server.url()).checked()
        }
        server.stop()
    }

    @Test func `others don't notice`() async throws {
        let server = try ScriptedHTTPServer { client in
            client.head()
            if client.received.hasPrefix("GET /quick") { client.answer() }
            client.waitForEnd()
        }
        try await withClient { client in
            let slow = (0..<20).map { _ in Task { try await client.get(server.url("/slow")) } }
            try await wait(for: "all of them") { server.clients.count { !$0.received.isEmpty } == 20 }
            let quick = Task { try await client.get(server.url("/quick")) }
            for task in slow { task.cancel() }
            #expect(try await quick.value.status == 200)
            for task in slow { await #expect(throws: CancellationError.self) { try await task.value } }
        }
        server.stop()
    }

    // MARK: Many at once

    @Test func `a hundred are asked at once`() async throws {
        // Nobody gets an answer before all have asked.
        let all = DispatchGroup()
        for _ in 0..<100 { all.enter() }
        let server = try ScriptedHTTPServer { client in
            client.head()
            all.leave()
            if all.wait(timeout: .now() + 600) == .success { client.answer() }
        }
        // A quarter of them is for one host.
        try await withClient(.init(connections: 400)) { client in
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await client.get(server.url()).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 200, count: 100))
        }
        server.stop()
    }

    @Test func `a host that doesn't respond blocks no other, and its requests time out`() async throws {
        let dead = try ScriptedHTTPServer { $0.waitForEnd() }
        let server = try answering()
        try await withClient(.init(connections: 16)) { client in
            var request = HTTPRequest(.get, dead.url())
            request.deadline = .seconds(3_600)
            let slow = (0..<100).map { _ in Task { [request] in try await client.send(request) } }
            try await wait(for: "the dead host's share") { dead.clients.count { !$0.received.isEmpty } == 6 }
            for _ in 0..<20 { try await client.get(server.url("/", host: "localhost")).checked() }
            #expect(dead.clients.count == 6)
            request.deadline = .milliseconds(50)
            let late = request
            #expect(await failure { try await client.send(late) }?.code == .timeout)
            // One that waits is cancelled, and one that runs makes room for the next.
            slow[99].cancel()
            await #expect(throws: CancellationError.self) { try await slow[99].value }
            dead.clients[0].close()
            try await wait(for: "the next") { dead.clients.count { !$0.received.isEmpty } == 7 }
            for task in slow { task.cancel() }
            for task in slow { _ = await task.result }
            try await expectNothing(of: client)
        }
        dead.stop()
        server.stop()
    }

    @Test func `no more connections are open than may be, and those that wait have a deadline too`() async throws {
        let server = try ScriptedHTTPServer { client in
            while let head = client.head() {
                if head.hasPrefix("GET /quick") { client.answer() } else { return client.waitForEnd() }
            }
        }
        try await withClient(.init(connections: 2)) { client in
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { try await client.get(server.url("/quick")).status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.clients.count <= 2)
            let slow = (0..<2).map { _ in Task { try await client.get(server.url("/slow")) } }
            try await wait(for: "both") { server.clients.count { $0.received.contains("/slow") } == 2 }
            var request = HTTPRequest(.get, server.url("/quick"))
            request.deadline = .milliseconds(50)
            let late = request
            #expect(await failure { try await client.send(late) }?.code == .timeout)
            for task in slow { task.cancel() }
            // Now there is room again.
            try await client.get(server.url("/quick")).checked()
        }
        server.stop()
    }

    @Test func `an idle connection makes room for another`() async throws {
        let servers = try (0..<3).map { _ in try answering() }
        try await withClient(.init(connections: 1)) { client in
            for _ in 0..<3 { for server in servers { try await client.get(server.url()).checked() } }
        }
        for server in servers { server.stop() }
    }

    // MARK: The client's end

    @Test func `closing cancels running requests`() async throws {
        let server = try ScriptedHTTPServer { $0.waitForEnd() }
        let client = CurlHTTPClient(logger: TestLog().logger)
        let tasks = (0..<10).map { _ in Task { try await client.get(server.url()) } }
        try await wait(for: "all of them") { server.clients.count { !$0.received.isEmpty } == 10 }
        client.close()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        try await expectNothing(of: client)
        await #expect(throws: CancellationError.self) { try await client.get(server.url()) }
        client.close()
        server.stop()
    }

    @Test func `closing is harmless without requests, and concurrently`() async throws {
        CurlHTTPClient(logger: TestLog().logger).close()
        _ = CurlHTTPClient(logger: TestLog().logger)
        let server = try answering()
        for _ in 0..<50 {
            let client = CurlHTTPClient(logger: TestLog().logger)
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { _ = try? await client.get(server.url()) } }
                group.addTask { client.close() }
                group.addTask { client.close() }
            }
            client.close()
            try await expectNothing(of: client)
        }
        server.stop()
    }

    @Test func `an unreferenced client ends with its thread`() async throws {
        let server = try answering()
        weak var engine: CurlEngine?
        do {
            let client = CurlHTTPClient(logger: TestLog().logger)
            try await client.get(server.url()).checked()
            engine = client.engine
            #expect(engine != nil)
        }
        try await wait(for: "the engine's end") { engine == nil }
        // The connection that was kept is closed too.
        try await wait(for: "the connection's end") { server.clients.allSatisfy { $0.end != nil } }
        server.stop()
    }

    // MARK: Leaks

    @Test func `of a thousand requests, cancelled or badly answered, nothing is left`() async throws {
        let server = try ScriptedHTTPServer { client in
            while let head = client.head() {
                switch head.utf8.reduce(0, { $0 &+ Int($1) }) % 10 {
                case 0: return client.reset()
                case 1: return
                case 2: return client.waitForEnd()
                case 3: client.send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
                case 4: client.send("garbage\r\n\r\n")
                case 5: client.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
                case 6: while client.send(String(repeating: "A: b\r\n", count: 1_000)) {}
                case 7: client.answer("302 Found", ["Location: /again"])
                case 8: client.answer("302 Found", ["Location: file:///etc/passwd"])
                default: client.answer("200 OK", [], String(repeating: "hello", count: 20_000))
                }
            }
        }
        let log = TestLog()
        try await withClient(.init(), log) { client in
            var random = SeededGenerator(seed: 4)
            let tasks = (0..<1_000).map { number in
                var request = HTTPRequest(number % 3 == 0 ? .post : .get, server.url("/\(random.next())"))
                if number % 3 == 0 { request.body = .text("hello") }
                request.headers["X"] = "y"
                request.limit = 50_000
                request.deadline = .milliseconds(300 + number)
                return Task { [request] in try await client.send(request) }
            }
            for (number, task) in tasks.enumerated() where number % 2 == 0 {
                if number % 16 == 0 { await Task.yield() }
                task.cancel()
            }
            for task in tasks { _ = await task.result }
            try await expectNothing(of: client)
        }
        // Each caller was resumed once: the log has a line for each.
        #expect(log.lines(from: .debug).count == 1_000)
        server.stop()
    }
}
