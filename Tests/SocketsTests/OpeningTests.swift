import NIOCore
import Synchronization
import TestServers
import Testing

@testable import HeybotSockets

@Suite(.timeLimit(.minutes(15))) struct OpeningTests {
    @Test func `bytes go both ways`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(endpoint)
            #expect(connection.remoteAddress == endpoint.description)
            #expect(connection.send(Array("hello".utf8)))
            #expect(try await connection.text(5) == "hello")
            connection.close()
        }
    }

    @Test func `a host name works as well as an address`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(Endpoint(host: "localhost", port: endpoint.port))
            #expect(connection.send([1]))
            #expect(try await connection.bytes(1) == [1])
        }
    }

    // MARK: Addresses

    @Test func `if an address refuses, the next is tried`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await open(endpoint, at: "127.0.0.2", "127.0.0.1")
            #expect(connection.remoteAddress == endpoint.description)
        }
    }

    @Test func `if an address doesn't answer, the next is tried`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let hole = try BlackHole(host: "127.0.0.3", port: endpoint.port)
            let connection = try await open(endpoint, at: "127.0.0.3", "127.0.0.1")
            #expect(connection.remoteAddress == endpoint.description)
            hole.close()
        }
    }

    private func open(_ endpoint: Endpoint, at addresses: String...) async throws(ConnectionError) -> Connection {
        let addresses = addresses.compactMap { try? SocketAddress(ipAddress: $0, port: endpoint.port) }
        return try await Connection.open(
            Endpoint(host: "several.example.org", port: endpoint.port), tls: nil,
            within: (.seconds(600), .seconds(600)),
            limits: .init()
        ) { _ in FakeLookup(addresses) }
    }

    // MARK: What may be wrong

    @Test func `a port without a listener`() async throws {
        try await withServer(serve: { try await $0.echo() }) { other in
            // The tests' servers listen at other addresses. A port that was free a moment ago may be a server's by now.
            let endpoint = Endpoint(host: "127.0.0.9", port: other.port)
            #expect(
                await failure { try await Connection.opened(endpoint) }
                    == .unreachable(endpoint, reason: "connection refused"))
        }
    }

    @Test(arguments: ["no-such-host.invalid", "", "localhost\u{0}.example.org", "two words"])
    func `an unknown host`(_ host: String) async {
        // The error isn't a timeout.
        let error = await failure {
            try await Connection.open(Endpoint(host: host, port: 6667), connectWithin: .testLimit)
        }
        #expect(error == .unknownHost(host))
    }

    @Test(arguments: [0, -1, 65_536, 70_000]) func `an invalid port`(_ port: Int) async {
        let endpoint = Endpoint(host: "127.0.0.1", port: port)
        #expect(
            await failure { try await Connection.opened(endpoint) }
                == .unreachable(endpoint, reason: "a port is a number from 1 to 65535"))
    }

    @Test func `connecting times out`() async throws {
        let hole = try BlackHole(host: "127.0.0.1", port: 0)
        defer { hole.close() }
        let time = Duration.milliseconds(200)
        var error: ConnectionError?
        // On a busy machine, the time may be over before the first address is tried.
        repeat {
            error = await failure { try await Connection.open(hole.endpoint, connectWithin: time) }
        } while error == .timedOut(hole.endpoint, .lookingUp, time)
        #expect(error == .timedOut(hole.endpoint, .connecting, time))
    }

    @Test func `the DNS lookup times out`() async throws {
        let endpoint = Endpoint(host: "slow.example.org", port: 6667)
        let time = Duration.milliseconds(100)
        #expect(
            await failure {
                try await Connection.open(
                    endpoint, tls: nil, within: (time, time), limits: .init()
                ) { _ in FakeLookup(nil) }
            } == .timedOut(endpoint, .lookingUp, time))
    }

    // MARK: Cancelling

    @Test func `cancellation while connecting leaks nothing`() async throws {
        let hole = try BlackHole(host: "127.0.0.1", port: 0)
        defer { hole.close() }
        let address = try SocketAddress(ipAddress: hole.endpoint.host, port: hole.endpoint.port)
        try await leavesNothingBehind {
            let begun = Gate()
            let opening = Task {
                await failure {
                    try await Connection.open(
                        hole.endpoint, tls: nil, within: (.testLimit, .testLimit), limits: .init()
                    ) { _ in
                        begun.open()
                        return FakeLookup([address])
                    }
                }
            }
            await begun.wait()
            // After a few turns of the event loop, it is connecting.
            for _ in 0..<10 { try await EventLoopThread.loop.submit {}.get() }
            opening.cancel()
            #expect(await opening.value == .cancelled)
        }
    }

    @Test func `cancellation during the handshake leaks nothing`() async throws {
        let greeted = Atomic(0)
        try await withServer(serve: { peer in
            for try await _ in peer.inbound { greeted.add(1, ordering: .relaxed) }
        }) { endpoint in
            try await leavesNothingBehind {
                let before = greeted.load(ordering: .relaxed)
                let opening = Task {
                    await failure { try await Connection.opened(endpoint, tls: TLSOptions(trust: .anyone)) }
                }
                try await eventually { greeted.load(ordering: .relaxed) > before }
                opening.cancel()
                #expect(await opening.value == .cancelled)
            }
        }
    }

    @Test func `a cancelled task doesn't connect`() async {
        let opening = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure {
                try await Connection.opened(Endpoint(host: "127.0.0.1", port: 1))
            }
        }
        #expect(await opening.value == .cancelled)
    }
}
