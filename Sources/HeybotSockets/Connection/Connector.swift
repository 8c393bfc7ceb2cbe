import NIOCore
import NIOPosix
import Synchronization

/// Opens one connection, from the DNS lookup to the end of the handshake.
///
/// `@unchecked Sendable` because mutable state is only used on the event loop; calls from outside hop there first.
final class Connector: @unchecked Sendable {
    typealias Outcome = Result<Connection, ConnectionError>

    private let endpoint: Endpoint
    private let handshake: TLSPeerVerifier?
    private let limits: Connection.BufferLimits
    private let times: (connect: Duration, handshake: Duration)
    private let lookup: HostResolver.Maker
    private let loop: any EventLoop

    /// One for each address that is tried.
    private var attempts: [(channel: any Channel, handler: StreamHandler)] = []
    private var deadline: Scheduled<Void>?
    private var isClosed = false
    private var continuation: CheckedContinuation<Outcome, Never>?

    init(
        _ endpoint: Endpoint, _ handshake: TLSPeerVerifier?, _ limits: Connection.BufferLimits,
        _ times: (connect: Duration, handshake: Duration), _ lookup: @escaping HostResolver.Maker, _ loop: any EventLoop
    ) {
        self.endpoint = endpoint
        self.handshake = handshake
        self.limits = limits
        self.times = times
        self.lookup = lookup
        self.loop = loop
    }

    func outcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { self.begin(continuation) }
            }
        } onCancel: {
            loop.execute { self.complete(.failure(.cancelled)) }
        }
    }

    // MARK: On the event loop

    private func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        guard !isClosed else { return continuation.resume(returning: .failure(.cancelled)) }
        self.continuation = continuation
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(clamping: times.connect))
            // The other side's end is reported apart from the connection's, and queued data is still sent.
            .channelOption(.allowRemoteHalfClosure, value: true)
            // One read at a time, so that reading ahead stays within its limit.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try self.add(channel) } }
        let connecting =
            if let path = endpoint.path {
                bootstrap.connect(unixDomainSocketPath: path)
            } else {
                bootstrap.resolver(lookup(loop)).channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: endpoint.host, port: endpoint.port)
            }
        connecting.assumeIsolated().whenComplete { self.connected($0) }
    }

    private func add(_ channel: any Channel) throws {
        if isClosed { throw ConnectionError.cancelled }
        let handler = StreamHandler(limits)
        try handler.join(channel, handshake)
        attempts.append((channel, handler))
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let error): complete(.failure(failure(error)))
        case .success(let channel):
            guard let handler = attempts.first(where: { $0.channel === channel })?.handler, !isClosed else {
                return channel.close(promise: nil)
            }
            // NIO has closed the other attempts.
            attempts = [(channel, handler)]
            let within = times.handshake
            deadline = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: within)) {
                self.complete(.failure(.timedOut(self.endpoint, .handshaking, within)))
            }
            handler.whenOpened { result in
                self.complete(result.map { Connection(self.endpoint, channel, handler) })
            }
        }
    }

    private func complete(_ outcome: Outcome) {
        guard !isClosed else { return }
        isClosed = true
        deadline?.cancel()
        if case .failure = outcome {
            for attempt in attempts { attempt.handler.closeNow() }
        }
        attempts = []
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    private func failure(_ error: any Error) -> ConnectionError {
        switch error {
        case ChannelError.connectTimeout:
            // Attempts begin after the lookup.
            .timedOut(endpoint, attempts.isEmpty && endpoint.path == nil ? .lookingUp : .connecting, times.connect)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty: .unknownHost(endpoint.host)
        case let error as NIOConnectionError:
            error.connectionErrors.lazy.compactMap { $0.error as? ConnectionError }.first
                ?? .unreachable(endpoint, reason: ErrorText.describe(error.connectionErrors))
        case let error as ConnectionError: error
        default: .unreachable(endpoint, reason: ErrorText.describe(error))
        }
    }
}
