import Glibc
import NIOCore
import Synchronization
import TestServers
import Testing

@testable import HeybotSockets

@Suite(.timeLimit(.minutes(15))) struct FlowTests {
    private static let tls: [TLSOptions?] = [nil, TLSOptions(trust: .anyone)]

    // MARK: Bounds

    @Test(arguments: tls) func `without a reader the other side waits; then everything arrives`(_ tls: TLSOptions?)
        async throws
    {
        let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let rounds = 1_600
        let sent = Atomic(0)
        try await serve(tls) { peer in
            let buffer = ByteBuffer(bytes: pattern)
            for _ in 0..<rounds {
                try await peer.write(buffer)
                sent.add(buffer.readableBytes, ordering: .relaxed)
            }
        } _: { endpoint in
            let connection = try await Connection.opened(endpoint, tls: tls)
            // Reading ahead has stopped when many turns of the event loop bring nothing more.
            var last = -1
            while last < 262_144 || last != sent.load(ordering: .relaxed) {
                last = sent.load(ordering: .relaxed)
                for _ in 0..<2_000 { _ = await connection.encryption() }
            }
            // The system buffers some megabytes in between.
            #expect(last < 32 << 20)
            let first = try #require(try await connection.read())
            #expect(first.count <= 262_144 + 16_384)
            var position = 0
            var isIntact = true
            var next: ArraySlice<UInt8>? = first
            while var bytes = next {
                while !bytes.isEmpty {
                    let count = min(bytes.count, pattern.count - position % pattern.count)
                    let expected = pattern[(position % pattern.count)...].prefix(count)
                    isIntact = isIntact && same(bytes.prefix(count), expected)
                    position += count
                    bytes = bytes.dropFirst(count)
                }
                next = try await connection.read()
            }
            #expect(isIntact)
            #expect(position == rounds * pattern.count)
        }
    }

    private func same(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count == other.count
                }
                return one.count == other.count && memcmp(first, second, one.count) == 0
            }
        }
    }

    @Test(arguments: tls, [Duration.zero, .microseconds(100)])
    func `sending fails at the limit, and accepted bytes arrive`(
        _ tls: TLSOptions?, _ writeInterval: Duration
    ) async throws {
        let goesOn = Gate()
        let length = Atomic(0)
        let isIntact = Atomic(true)
        try await serve(tls) { peer in
            await goesOn.wait()
            var expected: UInt8 = 0
            for (index, byte) in try await peer.all().enumerated() {
                if index % 1_000 == 0, index > 0 { expected &+= 1 }
                if byte != expected { isIntact.store(false, ordering: .relaxed) }
                length.add(1, ordering: .relaxed)
            }
        } _: { endpoint in
            let connection = try await Connection.opened(
                endpoint, tls: tls, limits: .init(unsent: 100_000, writeInterval: writeInterval))
            var taken = 0
            var line = [UInt8](repeating: 0, count: 1_000)
            var most = 0
            // The system takes some bytes between the refusal and the check, until its buffer is full.
            while most < 100_000, taken < 100_000_000 {
                if connection.send(line) {
                    taken += 1_000
                    line = [UInt8](repeating: line[0] &+ 1, count: 1_000)
                } else {
                    most = connection.unsent
                }
            }
            #expect((100_000..<101_000).contains(most))
            goesOn.open()
            await connection.closeGracefully(within: .testLimit)
            #expect(connection.unsent == 0)
            try await eventually { [taken] in length.load(ordering: .relaxed) == taken }
            let wasIntact = isIntact.load(ordering: .relaxed)
            #expect(wasIntact)
        }
    }

    // MARK: Order

    @Test(arguments: tls) func `what is sent shortly after a write waits, and is written together`(
        _ tls: TLSOptions?
    ) async throws {
        let received = Mutex<[UInt8]>([])
        try await serve(tls) { peer in
            let bytes = try await peer.all()
            received.withLock { $0 = bytes }
        } _: { endpoint in
            let limits = Connection.BufferLimits(writeInterval: .seconds(3_600), burstGap: .seconds(3_600))
            let connection = try await Connection.opened(endpoint, tls: tls, limits: limits)
            #expect(connection.send([1]))
            while connection.unsent > 0 { _ = await connection.encryption() }
            for byte: UInt8 in 2...3 { #expect(connection.send([byte])) }
            for _ in 0..<100 { _ = await connection.encryption() }
            #expect(connection.unsent == 2)
            // Closing doesn't wait.
            await connection.closeGracefully(within: .testLimit)
            try await eventually { received.withLock { $0 } == [1, 2, 3] }
        }
    }

    @Test(arguments: tls) func `what is sent later than that doesn't wait`(_ tls: TLSOptions?) async throws {
        try await serve(tls) {
            try await $0.echo()
        } _: { endpoint in
            let limits = Connection.BufferLimits(writeInterval: .seconds(3_600), burstGap: .zero)
            let connection = try await Connection.opened(endpoint, tls: tls, limits: limits)
            for byte: UInt8 in 1...3 {
                try await Task.sleep(for: .milliseconds(1))
                #expect(connection.send([byte]))
                // Without TLS, the sending thread has written it.
                if tls == nil { #expect(connection.unsent == 0) }
                #expect(try await connection.bytes(1) == [byte])
            }
        }
    }

    @Test(arguments: tls) func `what is queued is sent when it is flushed`(_ tls: TLSOptions?) async throws {
        try await serve(tls) {
            try await $0.echo()
        } _: { endpoint in
            let limits = Connection.BufferLimits(writeInterval: .microseconds(100))
            let connection = try await Connection.opened(endpoint, tls: tls, limits: limits)
            for byte: UInt8 in 1...3 { #expect(connection.enqueue([byte])) }
            for _ in 0..<100 { _ = await connection.encryption() }
            #expect(connection.unsent == 3)
            connection.flush()
            #expect(try await connection.bytes(3) == [1, 2, 3])
        }
    }

    @Test(arguments: tls, [Duration.zero, .microseconds(100)])
    func `each thread's bytes arrive in the order it sent them`(
        _ tls: TLSOptions?, _ writeInterval: Duration
    ) async throws {
        let lines = Mutex<[String]>([])
        try await serve(tls) { peer in
            let text = String(decoding: try await peer.all(), as: UTF8.self)
            lines.withLock { $0 = text.split(separator: "\n").map(String.init) }
        } _: { endpoint in
            let limits = Connection.BufferLimits(writeInterval: writeInterval)
            let connection = try await Connection.opened(endpoint, tls: tls, limits: limits)
            await withTaskGroup { group in
                for thread in 0..<8 {
                    group.addTask {
                        for number in 0..<2_000 { connection.send(Array("\(thread) \(number)\n".utf8)) }
                    }
                }
            }
            await connection.closeGracefully(within: .testLimit)
            try await eventually { lines.withLock { $0.count } == 16_000 }
        }
        for thread in 0..<8 {
            let own = lines.withLock { $0.filter { $0.hasPrefix("\(thread) ") } }
            #expect(own == (0..<2_000).map { "\(thread) \($0)" })
        }
    }

    // MARK: Threads

    @Test func `a task on the connection's executor reads on the I/O thread`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(endpoint)
            let isThere = try await Task(executorPreference: Connection.executor) {
                connection.send([1])
                _ = try await connection.read()
                return EventLoopThread.loop.inEventLoop
            }.value
            #expect(isThere)
        }
    }
}
