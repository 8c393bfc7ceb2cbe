import NIOCore

/// A connection to a server over TCP, with or without TLS, or over a Unix socket.
///
/// Both directions have bounded buffers.
///
/// It stays open until `close` or `closeGracefully` is called, it breaks, or it is deallocated. The first connection starts the
/// single I/O thread, and makes the process ignore SIGPIPE.
package final class Connection: Sendable {
    /// The limits of the buffers, and how writes are joined.
    package struct BufferLimits: Hashable, Sendable {
        /// The most bytes that are read ahead; at least one read of the socket, 64 KB.
        package var unread: Int
        /// `send` fails if this many bytes are waiting; together with new ones, never more than 1 GB.
        package var unsent: Int
        /// How long less than 64 KB of a burst may wait after a write, so that more of it is written together.
        ///
        /// It saves most of the cost of many short answers. What is sent after that is written by the thread that sends it, if
        /// the connection isn't encrypted. With zero, the I/O thread writes everything at once.
        package var writeInterval: Duration
        /// The longest time between two sends of a burst.
        ///
        /// In a conversation, answers are a round trip apart, which takes longer; the commands of a burst take less each.
        package var burstGap: Duration

        /// Creates limits in bytes; the defaults suit a chat.
        package init(
            unread: Int = 262_144, unsent: Int = 1_048_576, writeInterval: Duration = .zero,
            burstGap: Duration = .microseconds(100)
        ) {
            (self.unread, self.unsent) = (unread, unsent)
            (self.writeInterval, self.burstGap) = (writeInterval, burstGap)
        }
    }

    /// The endpoint that it was opened to.
    package let endpoint: Endpoint

    /// The remote address for logs, such as `192.0.2.1:6697`.
    package let remoteAddress: String?

    private let channel: any Channel
    private let inbound: InboundBuffer
    private let outbound: OutboundBuffer
    /// For use on the event loop only.
    private let handler: NIOLoopBound<StreamHandler>

    /// Must be called on the event loop.
    init(_ endpoint: Endpoint, _ channel: any Channel, _ handler: StreamHandler) {
        self.endpoint = endpoint
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        inbound = handler.inbound
        outbound = handler.outbound
        remoteAddress = channel.remoteAddress.flatMap { address in
            guard let host = address.ipAddress, let port = address.port else { return address.pathname }
            return Endpoint(host: host, port: port).description
        }
    }

    deinit { if channel.isActive { close() } }

    // MARK: Opening

    /// Connects to the first address of the host that answers, and performs the TLS handshake if `tls` isn't nil.
    ///
    /// The addresses are tried one after another, a quarter of a second apart. `connectTimeout` covers the DNS lookup and
    /// connecting, `handshakeTimeout` the TLS handshake. Cancellation stops it at once. It reads the TLS files, which blocks
    /// briefly.
    package static func open(
        _ endpoint: Endpoint, tls: TLSOptions? = nil, connectWithin: Duration = .seconds(20),
        handshakeTimeout: Duration = .seconds(20), limits: BufferLimits = BufferLimits()
    ) async throws(ConnectionError) -> Connection {
        try await open(
            endpoint, tls: tls, within: (connectWithin, handshakeTimeout), limits: limits
        ) { HostResolver($0) }
    }

    static func open(
        _ endpoint: Endpoint, tls: TLSOptions?, within times: (connect: Duration, handshake: Duration),
        limits: BufferLimits,
        lookup: @escaping HostResolver.Maker
    ) async throws(ConnectionError) -> Connection {
        if let path = endpoint.path {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw .unreachable(endpoint, reason: "the path is invalid")
            }
        } else {
            // The system would use another host or port for these.
            guard !endpoint.host.isEmpty, !endpoint.host.utf8.contains(0) else { throw .unknownHost(endpoint.host) }
            guard (1...65_535).contains(endpoint.port) else {
                throw .unreachable(endpoint, reason: "a port is a number from 1 to 65535")
            }
        }
        var handshake: TLSPeerVerifier?
        if let tls { handshake = try TLSPeerVerifier(tls, with: endpoint) }
        let connector = Connector(endpoint, handshake, limits, times, lookup, EventLoopThread.loop)
        return try await connector.outcome().get()
    }

    /// Encrypts the open connection, for protocols with STARTTLS, and returns when the handshake is complete.
    ///
    /// No task may be reading meanwhile. Plain text that the server sent after its consent is rejected. After an error or
    /// cancellation, the connection is closed. It reads the TLS files, which blocks briefly.
    package func startTLS(_ tls: TLSOptions, within time: Duration = .seconds(20)) async throws(ConnectionError) {
        // Off the shared I/O thread, if the caller runs there.
        let made = await Task.detached { [endpoint] in
            Result { () throws(ConnectionError) in try TLSPeerVerifier(tls, with: endpoint) }
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

    /// Waits for data and returns everything received, never an empty slice; nil after the other side has closed.
    ///
    /// After nil, data can still be sent; call `close` or `closeGracefully` then.
    ///
    /// Returns at most `limits.unread` bytes, or 64 KB if that is more. That many bytes are read ahead; after that the socket
    /// isn't read, which makes the other side wait. (If it closes meanwhile, the data buffered by the system is read as well,
    /// some megabytes at most.)
    ///
    /// Data received before the end is returned before the end is reported. A connection that ends without TLS's close_notify
    /// counts as closed normally: many servers do so, and the protocol above can detect missing data.
    ///
    /// For one reader: if a second one reads meanwhile, the first one gets `.cancelled`. Cancellation loses no data, and reading
    /// can continue after it.
    ///
    /// - Throws: `.lost` after a reset, `.closed` after `close()`, `.cancelled` if the task is canceled, and `.handshake` if the
    ///   server rejects the client certificate, which TLS 1.3 reports here.
    package nonisolated(nonsending) func read() async throws(ConnectionError) -> ArraySlice<UInt8>? {
        try await inbound.take { onLoop { $0.resumeReading() } }
    }

    // MARK: Sending

    /// Queues bytes to be sent, in the order of the calls.
    ///
    /// Never waits; may be called from any thread.
    ///
    /// - Returns: False, without sending anything, if `limits.unsent` bytes are waiting already, or the connection is closed or
    ///   lost. True doesn't mean that the bytes arrive.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        defer { flush() }
        return enqueue(bytes)
    }

    /// Queues bytes that ``flush()`` sends, as ``send(_:)`` does.
    @discardableResult
    package func enqueue(_ bytes: [UInt8]) -> Bool { outbound.add(bytes) }

    /// Sends what is queued.
    ///
    /// Called without a lock that the thread reading the connection takes, it doesn't make that thread wait.
    package func flush() { outbound.flush { onLoop { $0.send() } } }

    /// The number of bytes that wait to be sent, with a granularity of 64 KB.
    package var unsent: Int { outbound.unsent }

    /// Whether it is closed, closing or lost, so that nothing more can be sent.
    package var isClosed: Bool { outbound.isClosed }

    // MARK: Closing

    /// Closes at once, and discards unsent and unread data.
    ///
    /// May be called repeatedly.
    ///
    /// A waiting `read()` throws `.closed`, or returns nil if the other side has closed before.
    package func close() {
        inbound.end(.failure(.closed), dropping: true)
        outbound.end(dropping: true)
        onLoop { $0.closeNow() }
    }

    /// Sends what is waiting, closes the sending side, and waits for the other side to close.
    ///
    /// On timeout or cancellation, it closes at once. Data that arrives meanwhile can be read, and must be if it is more than
    /// `limits.unread` bytes; otherwise the other side's end isn't seen in time.
    package func closeGracefully(within time: Duration) async {
        outbound.end(dropping: false)
        let time = TimeAmount(clamping: time)
        await withTaskCancellationHandler {
            onLoop { $0.closeGracefully(within: time) }
            try? await channel.closeFuture.get()
        } onCancel: {
            close()
        }
    }

    // MARK: Encryption

    /// The connection's encryption, also after it has been closed; nil if it isn't encrypted.
    package func encryption() async -> TLSConnectionSummary? {
        await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: $0.encryption) }
        }
    }

    /// The values of the encrypted connection that a login can be bound to; none if it isn't encrypted.
    package func channelBindings() async -> TLSChannelBindings {
        await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: $0.channelBindings) }
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
