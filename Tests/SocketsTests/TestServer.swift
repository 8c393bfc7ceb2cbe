import Glibc
import HeybotSockets
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestServers

/// A server's view of one client.
struct Peer: Sendable {
    let channel: any Channel
    /// May be iterated once.
    let inbound: NIOAsyncChannelInboundStream<ByteBuffer>

    /// Waits until the system has taken the bytes.
    func write(_ buffer: ByteBuffer) async throws { try await channel.writeAndFlush(buffer) }

    func write(_ text: String) async throws { try await write(ByteBuffer(string: text)) }

    /// Waits for the first bytes, and so for the end of the handshake.
    func first() async throws {
        var bytes = inbound.makeAsyncIterator()
        _ = try await bytes.next()
    }

    /// Returns everything until the client closes.
    func all() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in inbound { bytes.append(contentsOf: buffer.readableBytesView) }
        return bytes
    }

    /// Reads without answering, until the client closes.
    func sleep() async throws { _ = try await all() }

    func echo() async throws {
        for try await buffer in inbound { try await write(buffer) }
    }

    /// Closes the socket without close_notify.
    func vanish() async throws {
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            if let tls = try? pipeline.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(promise: nil)
            } else {
                channel.close(promise: nil)
            }
        }.get()
    }

    func reset() async throws {
        guard let options = channel as? any SocketOptionProvider else { return }
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await vanish()
    }

    /// Closes the output, and waits for the client to close.
    fileprivate func end() async {
        try? await channel.close(mode: .output)
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Runs a server on a free port of this machine while `body` runs.
@discardableResult
func withServer<Result: Sendable>(
    _ tls: TLSConfiguration? = nil, serve: @escaping @Sendable (Peer) async throws -> Void,
    _ body: (Endpoint) async throws -> Result
) async throws -> Result {
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    let clients = Mutex<[Task<Void, Never>]>([])
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
                let client = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                let task = Task {
                    // Clients may disconnect at any time.
                    _ = try? await client.executeThenClose { inbound, _ in
                        let peer = Peer(channel: client.channel, inbound: inbound)
                        try await serve(peer)
                        await peer.end()
                    }
                }
                clients.withLock { $0.append(task) }
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    let outcome: Swift.Result<Result, any Error>
    do {
        outcome = .success(try await body(Endpoint(host: "127.0.0.1", port: server.localAddress?.port ?? 0)))
    } catch {
        outcome = .failure(error)
    }
    try await server.close()
    for client in clients.withLock({ $0 }) { client.cancel() }
    return try outcome.get()
}

/// The same, with TLS if the client uses it.
@discardableResult
func serve<Result: Sendable>(
    _ tls: TLSOptions?, _ serve: @escaping @Sendable (Peer) async throws -> Void,
    _ body: (Endpoint) async throws -> Result
) async throws -> Result {
    try await withServer(tls == nil ? nil : Certificates.shared.server("good"), serve: serve, body)
}

extension Connection {
    /// Opens a connection; only a hang takes too long, also on a busy machine.
    static func opened(
        _ endpoint: Endpoint, tls: TLSOptions? = nil, handshakeTimeout: Duration = .testLimit,
        limits: BufferLimits = BufferLimits()
    ) async throws(ConnectionError) -> Connection {
        try await open(
            endpoint, tls: tls, connectWithin: .testLimit, handshakeTimeout: handshakeTimeout, limits: limits)
    }

    /// Reads a number of bytes, or until the end.
    func bytes(_ count: Int = .max) async throws(ConnectionError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try await read() { bytes += more }
        return bytes
    }

    func text(_ count: Int = .max) async throws(ConnectionError) -> String {
        String(decoding: try await bytes(count), as: UTF8.self)
    }
}

/// Returns the error that `body` throws; nil if it doesn't.
func failure<Result>(_ body: () async throws -> Result) async -> ConnectionError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? ConnectionError ?? .lost(reason: "\(error)")
    }
}
