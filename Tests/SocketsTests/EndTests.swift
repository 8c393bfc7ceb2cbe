import Glibc
import NIOCore
import Synchronization
import TestServers
import Testing

@testable import HeybotSockets

@Suite(.timeLimit(.minutes(15))) struct EndTests {
    private static let tls: [TLSOptions?] = [nil, TLSOptions(trust: .anyone)]
    /// Those of a chat: without TLS, the sending thread writes to the socket too.
    private static let limits = Connection.BufferLimits(writeInterval: .microseconds(100))

    // MARK: Ends

    @Test(arguments: tls) func `after the other side closes, reads return its data and then nil`(_ tls: TLSOptions?)
        async throws
    {
        try await serve(tls) {
            try await $0.write("bye")
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            #expect(try await connection.text() == "bye")
            #expect(try await connection.read() == nil)
        }
    }

    @Test func `TLS without close_notify counts as closed`() async throws {
        try await serve(TLSOptions(trust: .anyone)) { peer in
            try await peer.first()
            try await peer.write("bye")
            try await peer.vanish()
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: TLSOptions(trust: .anyone))
            connection.send([1])
            #expect(try await connection.text() == "bye")
        }
    }

    @Test(arguments: tls) func `a half-closed connection can still send`(_ tls: TLSOptions?) async throws {
        let heard = Mutex("")
        try await serve(tls) { peer in
            try await peer.write("bye")
            try await peer.channel.close(mode: .output)
            let bytes = try await peer.all()
            heard.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            #expect(try await connection.text() == "bye")
            #expect(connection.send(Array("one more thing".utf8)))
            await connection.closeGracefully(within: .testLimit)
            try await eventually { heard.withLock { $0 } == "one more thing" }
        }
    }

    @Test(arguments: tls) func `a reset is reported as lost, and sending after it is harmless`(_ tls: TLSOptions?)
        async throws
    {
        try await serve(tls) { peer in
            try await peer.first()
            try await peer.reset()
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            connection.send([1])
            let error = await failure {
                while try await connection.read() != nil { connection.send([1]) }
            }
            #expect(error == .lost(reason: "connection reset by peer"))
            for _ in 0..<10 { #expect(!connection.send([1])) }
            #expect(connection.unsent == 0)
        }
    }

    @Test func `writing to a closed peer raises no signal`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            _ = try await Connection.opened(endpoint, limits: Self.limits)
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1, "SIG_IGN")
        }
    }

    @Test(arguments: tls) func `closeGracefully delivers everything`(_ tls: TLSOptions?) async throws {
        let length = Atomic(0)
        let isFull = Gate()
        try await serve(tls) { peer in
            await isFull.wait()
            length.store(try await peer.all().count, ordering: .relaxed)
        } _: { endpoint in
            let connection = try await Connection.opened(
                endpoint, tls: tls, limits: .init(unsent: 32 << 20, writeInterval: .microseconds(100)))
            #expect(connection.send([UInt8](repeating: 7, count: 20 << 20)))
            let finishing = Task.immediate { await connection.closeGracefully(within: .testLimit) }
            isFull.open()
            await finishing.value
            #expect(!connection.send([1]))
            try await eventually { length.load(ordering: .relaxed) == 20 << 20 }
            #expect(try await connection.read() == nil)
        }
    }

    @Test(arguments: tls) func `closeGracefully waits for the other side's data`(_ tls: TLSOptions?) async throws {
        try await serve(tls) { peer in
            let bytes = try await peer.all()
            try await peer.write("you said \(bytes.count) bytes")
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            connection.send([1, 2, 3])
            await connection.closeGracefully(within: .testLimit)
            #expect(try await connection.text() == "you said 3 bytes")
        }
    }

    @Test(arguments: tls) func `closeGracefully times out`(_ tls: TLSOptions?) async throws {
        let isOver = Gate()
        try await serve(tls) { _ in
            await isOver.wait()
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            let start = ContinuousClock.now
            await connection.closeGracefully(within: .milliseconds(100))
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            #expect(await failure { try await connection.read() } == .closed)
            isOver.open()
        }
    }

    @Test(arguments: tls) func `close wakes the reader, and may be called twice`(_ tls: TLSOptions?) async throws {
        try await serve(tls) {
            try await $0.sleep()
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            let reading = Task.immediate { await failure { try await connection.read() } }
            connection.close()
            connection.close()
            #expect(await reading.value == .closed)
            #expect(!connection.send([1]))
            #expect(await failure { try await connection.read() } == .closed)
            await connection.closeGracefully(within: .testLimit)
        }
    }

    // MARK: Cancelling

    @Test(arguments: tls) func `a cancelled read loses no data, and reading can continue`(_ tls: TLSOptions?)
        async throws
    {
        try await serve(tls) {
            try await $0.echo()
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
            for round in UInt8(0)..<100 {
                let reading = Task { () -> ArraySlice<UInt8>? in try await connection.read() }
                if round % 2 == 0 { await Task.yield() }
                connection.send([round])
                if round % 3 == 0 { await Task.yield() }
                reading.cancel()
                switch await reading.result {
                case .success(let bytes): #expect(bytes == [round])
                case .failure(let error):
                    #expect(error as? ConnectionError == .cancelled)
                    #expect(try await connection.read() == [round])
                }
            }
        }
    }

    @Test func `a second reader cancels the first`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(endpoint, limits: Self.limits)
            let first = Task.immediate { await failure { try await connection.read() } }
            let second = Task { try await connection.read() }
            #expect(await first.value == .cancelled)
            connection.send([1])
            #expect(try await second.value == [1])
        }
    }

    // MARK: Nothing stays

    @Test(arguments: tls) func `a thousand connections leak nothing`(_ tls: TLSOptions?) async throws {
        try await serve(tls) {
            try await $0.echo()
        } _: { endpoint in
            let ways = Atomic(0)
            try await leavesNothingBehind(times: tls == nil ? 1_000 : 300) {
                let connection = try await Connection.opened(endpoint, tls: tls, limits: Self.limits)
                connection.send([1])
                _ = try await connection.read()
                switch ways.add(1, ordering: .relaxed).newValue % 3 {
                case 0: connection.close()
                case 1: await connection.closeGracefully(within: .testLimit)
                default: break  // Nobody holds it any more.
                }
            }
        }
    }
}
