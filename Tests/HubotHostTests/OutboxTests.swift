import Foundation
import Synchronization
import Testing

@testable import HubotHost

/// What the robot tells a host gets there in order, and a host that doesn't read delays nobody.
@Suite(.timeLimit(.minutes(15))) struct OutboxTests {
    private let outbox = Outbox()
    private let pipe: HostPipe
    private let input: FileHandle

    init() throws {
        pipe = try HostPipe()
        pipe.makeWritingNonBlocking()
        input = FileHandle(fileDescriptor: pipe.readEnd.rawValue, closeOnDealloc: true)
    }

    @Test func `what was added before the process has started is written first`() throws {
        outbox.add(.ping(id: 1))
        outbox.write()
        outbox.open(pipe.writeEnd.rawValue)
        outbox.add(.ping(id: 2))
        outbox.write()
        outbox.close()
        #expect(try lines() == [#"{"id":1,"type":"ping"}"#, #"{"id":2,"type":"ping"}"#])
    }

    @Test func `what isn't due is written with the next message, in order`() throws {
        outbox.open(pipe.writeEnd.rawValue)
        outbox.add(.end(number: 1), isDue: false)
        outbox.write()
        var polled = pollfd(fd: pipe.readEnd.rawValue, events: Int16(POLLIN), revents: 0)
        let readable = poll(&polled, 1, 0)
        #expect(readable == 0)
        outbox.add(.ping(id: 1))
        outbox.add(.end(number: 2), isDue: false)
        outbox.write()
        outbox.close()
        #expect(
            try lines() == [
                #"{"number":1,"type":"end"}"#, #"{"id":1,"type":"ping"}"#, #"{"number":2,"type":"end"}"#
            ])
    }

    @Test func `a host that doesn't read doesn't block the robot, and gets everything later`() throws {
        outbox.open(pipe.writeEnd.rawValue)
        let text = String(repeating: "x", count: 50_000)
        for request in 1...100 {
            outbox.add(.response(request: request, error: nil, value: .string(text)))
            // A pipe holds one of them.
            outbox.write()
        }
        var splitter = LineSplitter(limit: 100_000)
        var requests = 0
        while requests < 100, case let bytes = input.availableData, !bytes.isEmpty {
            requests += bytes.withUnsafeBytes { splitter.split($0) }.count
        }
        #expect(requests == 100)
        outbox.close()
        #expect(try lines() == [])
    }

    @Test func `a host that never reads is killed`() {
        outbox.open(pipe.writeEnd.rawValue)
        let kills = Atomic(0)
        outbox.whenKilled { kills.add(1, ordering: .relaxed) }
        let text = String(repeating: "x", count: 1 << 20)
        for request in 1...32 where kills.load(ordering: .relaxed) == 0 {
            outbox.add(.response(request: request, error: nil, value: .string(text)))
            outbox.write()
        }
        #expect(kills.load(ordering: .relaxed) == 1)
        outbox.close()
    }

    /// The lines until the end of the stream.
    private func lines() throws -> [String] {
        let bytes = try input.readToEnd() ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
