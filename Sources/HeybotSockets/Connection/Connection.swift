import NIOCore

/// A connection to a server over TCP, encrypted or not, or over a Unix socket: bytes both ways, bounded both ways.
///
/// It stays open until `close` or `finish` is called, it breaks, or nobody holds it any more. The first connection starts
/// the one thread that does the I/O of them all, and has the process ignore SIGPIPE.
package final class Connection: Sendable {
    /// How many bytes may wait on our side.
    package struct Limits: Hashable, Sendable {
        /// Bytes that are read ahead while nobody asks for them; at least one read of the socket, 64 KB.
        package var unread: Int
        /// Bytes that may be waiting when more are handed over to be sent; with those, never more than 1 GB.
        package var unsent: Int

        /// Limits in bytes; what stands there does for a chat.
        package init(unread: Int = 262_144, unsent: Int = 1_048_576) {
            self.unread = unread
            self.unsent = unsent
        }
    }

    /// Where it was opened to.
    package let endpoint: Endpoint

    /// The address it leads to, for logs, like `192.0.2.1:6697`.
    package let remoteAddress: String?

    private let channel: any Channel
    private let inflow: Inflow
    private let outflow: Outflow
    /// For the event loop only.
    private let handler: NIOLoopBound<StreamHandler>

    /// On the event loop.
    init(_ endpoint: Endpoint, _ channel: any Channel, _ handler: StreamHandler) {
        self.endpoint = endpoint
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        inflow = handler.inflow
        outflow = handler.outflow
        remoteAddress = channel.remoteAddress.flatMap { address in
            guard let host = address.ipAddress, let port = address.port else { return address.pathname }
            return Endpoint(host: host, port: port).description
        }
    }

    deinit { if channel.isActive { close() } }

    // MARK: Opening

    /// Connects to the first address of the host's that answers, and shakes hands if there is to be TLS.
    ///
    /// The addresses are tried one after another, a quarter of a second apart. `connectWithin` covers looking up the
    /// name and connecting, `handshakeWithin` TLS's handshake. Cancelling the task stops it at once and leaves nothing
    /// behind. It reads TLS's files, which blocks for a moment.
    package static func open(
        _ endpoint: Endpoint, tls: TLS? = nil, connectWithin: Duration = .seconds(20),
        handshakeWithin: Duration = .seconds(20), limits: Limits = Limits()
    ) async throws(ConnectionError) -> Connection {
        try await open(
            endpoint, tls: tls, within: (connectWithin, handshakeWithin), limits: limits
        ) { Lookup($0) }
    }

    static func open(
        _ endpoint: Endpoint, tls: TLS?, within times: (connect: Duration, handshake: Duration), limits: Limits,
        lookup: @escaping Lookup.Maker
    ) async throws(ConnectionError) -> Connection {
        if let path = endpoint.path {
            guard !path.isEmpty, !path.utf8.contains(0) else { throw .unreachable(endpoint, reason: "that is no path") }
        } else {
            // The system would take another host, or another port, for these.
            guard !endpoint.host.isEmpty, !endpoint.host.utf8.contains(0) else { throw .unknownHost(endpoint.host) }
            guard (1...65_535).contains(endpoint.port) else {
                throw .unreachable(endpoint, reason: "ports are from 1 to 65535")
            }
        }
        var handshake: Handshake?
        if let tls { handshake = try Handshake(tls, with: endpoint) }
        let opening = Opening(endpoint, handshake, limits, times, lookup, EventLoopThread.loop)
        return try await opening.outcome().get()
    }

    /// Encrypts the connection from here on, as protocols with a STARTTLS of their own do; returns when that is done.
    ///
    /// Nobody may be reading meanwhile. What the other side has sent in the clear behind its consent is refused. After an
    /// error, or if the task is cancelled, the connection is closed. It reads TLS's files, which blocks for a moment.
    package func startTLS(_ tls: TLS, within time: Duration = .seconds(20)) async throws(ConnectionError) {
        // Off the thread that all connections share, if the caller may be.
        let made = await Task.detached { [endpoint] in
            Result { () throws(ConnectionError) in try Handshake(tls, with: endpoint) }
        }.value
        let handshake = try made.get()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                onLoop { $0.startTLS(handshake, within: time) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            close()
        }
        do {
            try result.get()
        } catch {
            close()
            throw Task.isCancelled ? .cancelled : error
        }
    }

    // MARK: Reading

    /// Waits for bytes and returns all that have come, never none; nil once the other side has closed.
    ///
    /// After nil one can still send, and must `close` or `finish`.
    ///
    /// At most `limits.unread` bytes at a time, or 64 KB if that is less. While nobody asks for more, so many are read
    /// ahead; then the socket isn't read, and the other side waits. (If it closes meanwhile, what the system holds is
    /// taken from it, some megabytes at most.)
    ///
    /// What came before the end is read before the end is told. A connection that ends without TLS's own goodbye counts
    /// as closed in order: many servers do so, and if bytes are missing, the protocol above can tell. Throws `.lost`
    /// after a reset, `.closed` after `close()`, and `.handshake` if the server didn't like our certificate, which
    /// with TLS 1.3 it says here.
    ///
    /// For one reader: if another asks meanwhile, the first gets `.cancelled`. Where the task is cancelled it throws
    /// `.cancelled`; no byte is lost, and one can read on.
    package nonisolated(nonsending) func read() async throws(ConnectionError) -> ArraySlice<UInt8>? {
        try await inflow.take { onLoop { $0.resumeReading() } }
    }

    // MARK: Sending

    /// Hands bytes over to be sent, in the order of the calls; never waits, and may be called from any thread.
    ///
    /// False, and nothing is sent, if `limits.unsent` bytes are waiting already, or the connection is closed, finished
    /// or lost. True doesn't mean that they arrive.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        outflow.add(bytes) { onLoop { $0.send() } }
    }

    /// Bytes that wait to be sent, and that the system hasn't taken yet; counted in steps of 64 KB.
    package var unsent: Int { outflow.unsent }

    /// Whether it is closed, finished or lost, so that nothing more is sent.
    package var isOver: Bool { outflow.isOver }

    // MARK: Closing

    /// Closes at once, without what waits to be sent or read; harmless more than once.
    ///
    /// Whoever waits in `read()` gets `.closed`, or nil if the other side has closed before.
    package func close() {
        inflow.end(.failure(.closed), dropping: true)
        outflow.end(dropping: true)
        onLoop { $0.closeNow() }
    }

    /// Sends what is waiting, tells the other side that nothing follows, and waits for it to close too.
    ///
    /// When the time is over, or the task is cancelled, it closes at once. What comes meanwhile can be read, and must be
    /// if it is more than `limits.unread` bytes, or the other side's end isn't seen before the time is over.
    package func finish(within time: Duration) async {
        outflow.end(dropping: false)
        let time = TimeAmount(clamping: time)
        await withTaskCancellationHandler {
            onLoop { $0.finish(within: time) }
            try? await channel.closeFuture.get()
        } onCancel: {
            close()
        }
    }

    // MARK: Encryption

    /// How it is encrypted, or was while it was open; nil if it isn't.
    package func encryption() async -> Encryption? {
        await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: $0.encryption) }
        }
    }

    // MARK: Threads

    /// The thread the bytes arrive at, if a task can read them without a change of threads.
    ///
    ///     Task(executorPreference: Connection.executor) { while let bytes = try await connection.read() { … } }
    ///
    /// All connections share it: what blocks there, blocks them all.
    package static var executor: any TaskExecutor { EventLoopThread.executor }

    private func onLoop(_ body: @escaping @Sendable (StreamHandler) -> Void) {
        let handler = handler
        handler.eventLoop.execute { body(handler.value) }
    }
}
