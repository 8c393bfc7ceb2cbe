import Foundation
import HeybotSockets
import NIOCore
import NIOPosix
import Synchronization
import TestServers
import Testing

/// Answers with these addresses; never, if there are none.
final class FakeLookup: Resolver, Sendable {
    private let promises: [EventLoopPromise<[SocketAddress]>]
    private let addresses: [SocketAddress]?

    init(_ addresses: [SocketAddress]?) {
        self.addresses = addresses
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        promises = [loop.makePromise(), loop.makePromise()]
    }

    /// NIO requires every promise to be fulfilled.
    deinit { for promise in promises { promise.succeed([]) } }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let addresses { promises[0].succeed(addresses) }
        return promises[0].futureResult
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if addresses != nil { promises[1].succeed([]) }
        return promises[1].futureResult
    }

    func cancelQueries() {}
}

/// A port that neither accepts nor refuses connections: its queue is full.
struct BlackHole: Sendable {
    let endpoint: Endpoint
    private let sockets: [CInt]

    init(host: String, port: Int) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var sockets = [listener]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        try #require(Self.call(&address) { bind(listener, $0, $1) } == 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = Self.call(&address) { pointer, _ in getsockname(listener, UnsafeMutablePointer(mutating: pointer), &length)
        }
        listen(listener, 0)
        for _ in 0..<4 {
            let filler = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
            _ = Self.call(&address) { connect(filler, $0, $1) }
            sockets.append(filler)
        }
        self.sockets = sockets
        endpoint = Endpoint(host: host, port: Int(in_port_t(bigEndian: address.sin_port)))
    }

    func close() {
        for socket in sockets { Glibc.close(socket) }
    }

    private static func call(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// Runs `body` many times, and checks that no files stay open; other tests may have a few open.
func leavesNothingBehind(times: Int = 300, _ body: () async throws -> Void) async throws {
    let before = openFiles
    for _ in 0..<times { try await body() }
    try await eventually { openFiles < before + times / 3 }
}

var openFiles: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

/// Waits until a condition holds, for five minutes at most.
func eventually(
    _ condition: @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let start = ContinuousClock.now
    while !condition(), ContinuousClock.now - start < .testLimit { try await Task.sleep(for: .milliseconds(5)) }
    #expect(condition(), sourceLocation: sourceLocation)
}

/// An event that happens once.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
