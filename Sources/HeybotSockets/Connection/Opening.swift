import NIOCore
import NIOPosix
import Synchronization

/// One opening of a connection, from looking up the name to the end of the handshake.
///
/// `@unchecked Sendable` because what changes is touched on the event loop only, if every call from outside goes first.
final class Opening: @unchecked Sendable {
    typealias Outcome = Result<Connection, ConnectionError>

    private let endpoint: Endpoint
    private let handshake: Handshake?
    private let limits: Connection.Limits
    private let times: (connect: Duration, handshake: Duration)
    private let lookup: Lookup.Maker
    private let loop: any EventLoop

    /// One for each address that is tried.
    private var attempts: [(channel: any Channel, handler: StreamHandler)] = []
    private var deadline: Scheduled<Void>?
    private var isOver = false
    private var continuation: CheckedContinuation<Outcome, Never>?

    init(
        _ endpoint: Endpoint, _ handshake: Handshake?, _ limits: Connection.Limits,
        _ times: (connect: Duration, handshake: Duration), _ lookup: @escaping Lookup.Maker, _ loop: any EventLoop
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
            loop.execute { self.settle(.failure(.cancelled)) }
        }
    }

    // MARK: On the event loop

    private func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        guard !isOver else { return continuation.resume(returning: .failure(.cancelled)) }
        self.continuation = continuation
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(clamping: times.connect))
            // Their end is told apart from the connection's, and what waits is still sent.
            .channelOption(.allowRemoteHalfClosure, value: true)
            // One read at a time, so that what is read ahead stays within its limit.
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
        if isOver { throw ConnectionError.cancelled }
        let handler = StreamHandler(limits)
        try handler.join(channel, handshake)
        attempts.append((channel, handler))
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let error): settle(.failure(failure(error)))
        case .success(let channel):
            guard let handler = attempts.first(where: { $0.channel === channel })?.handler, !isOver else {
                return channel.close(promise: nil)
            }
            // The other attempts have been closed.
            attempts = [(channel, handler)]
            let within = times.handshake
            deadline = loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: within)) {
                self.settle(.failure(.slow(self.endpoint, .handshaking, within)))
            }
            handler.whenOpened { result in
                self.settle(result.map { Connection(self.endpoint, channel, handler) })
            }
        }
    }

    private func settle(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
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
            // Before its address is known, none is tried.
            .slow(endpoint, attempts.isEmpty && endpoint.path == nil ? .lookingUp : .connecting, times.connect)
        case let error as NIOConnectionError where error.connectionErrors.isEmpty: .unknownHost(endpoint.host)
        case let error as NIOConnectionError:
            error.connectionErrors.lazy.compactMap { $0.error as? ConnectionError }.first
                ?? .unreachable(endpoint, reason: Words.of(error.connectionErrors))
        case let error as ConnectionError: error
        default: .unreachable(endpoint, reason: Words.of(error))
        }
    }
}
