import NIOCore
import NIOSSL
import NIOTLS

/// The last handler of a channel's pipeline: moves bytes between the socket and the two buffers.
///
/// It is confined to the event loop.
final class StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How much is passed to the system at once; `unsent` is exact to this number of bytes.
    private static let chunk = 65_536

    let inbound: InboundBuffer
    let outbound: OutboundBuffer
    private var context: ChannelHandlerContext?
    private var handshake: (TLSPeerVerifier, NIOSSLClientHandler)?

    /// Whether it is ready, or why it never will be; nil until that is known.
    private var opened: Result<Void, ConnectionError>?
    /// The encryption, once established.
    private(set) var encryption: TLSConnectionSummary?
    /// What a login can be bound to, once the encryption is established.
    private(set) var channelBindings = TLSChannelBindings()
    private var onOpened: ((Result<Void, ConnectionError>) -> Void)?

    private var outgoing = OutboundBytes()
    private var isWriting = false
    private let joinsWrites: Bool
    /// Whether queued bytes wait until then.
    private var isJoining = false
    private var isFinishing = false
    private var isOutputClosed = false

    init(_ limits: Connection.BufferLimits) {
        inbound = InboundBuffer(limit: limits.unread)
        outbound = OutboundBuffer(limits)
        joinsWrites = limits.writeInterval > .zero
    }

    // MARK: Opening

    /// Adds itself to a channel, behind TLS if there is a handshake.
    func join(_ channel: any Channel, _ handshake: TLSPeerVerifier?) throws {
        if let handshake {
            let handler = try handshake.makeHandler()
            try channel.pipeline.syncOperations.addHandler(handler)
            self.handshake = (handshake, handler)
        }
        try channel.pipeline.syncOperations.addHandler(self)
    }

    /// Adds TLS to an open channel, and calls `call` when the handshake has succeeded or failed.
    func startTLS(
        _ handshake: TLSPeerVerifier, within time: Duration,
        _ call: @escaping (Result<Void, ConnectionError>) -> Void
    ) {
        guard let context, self.handshake == nil, case .success? = opened else { return call(.failure(.closed)) }
        if inbound.hasEnded { return call(.failure(.lost(reason: "the other side closed it"))) }
        // An attacker could have injected it, to be mistaken for encrypted data.
        guard !inbound.hasBytes else {
            return call(
                .failure(.handshake(handshake.endpoint, reason: "the server sent unencrypted data after STARTTLS")))
        }
        outbound.setSocket(nil)
        do {
            let handler = try handshake.makeHandler()
            self.handshake = (handshake, handler)
            opened = nil
            whenOpened(call)
            try context.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            return complete(.failure((error as? ConnectionError) ?? .lost(reason: ErrorText.describe(error))))
        }
        let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: time)) {
            self.complete(.failure(.timedOut(handshake.endpoint, .handshaking, time)))
        }
        context.channel.closeFuture.assumeIsolated().whenComplete { _ in deadline.cancel() }
    }

    /// Calls `call` when it is ready or has failed; at once if that is known already.
    func whenOpened(_ call: @escaping (Result<Void, ConnectionError>) -> Void) {
        if let opened { call(opened) } else { onOpened = call }
    }

    private func complete(_ result: Result<Void, ConnectionError>) {
        guard opened == nil else { return }
        opened = result
        onOpened?(result)
        onOpened = nil
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        guard handshake == nil else { return }
        // Without an interval, much that is sent at once would be written in as many pieces.
        if joinsWrites { outbound.setSocket(sharedSocket(context)) }
        complete(.success(()))
    }

    private func sharedSocket(_ context: ChannelHandlerContext) -> SharedSocket? {
        let pipeline = context.pipeline.syncOperations
        // Without it, the event loop writes everything.
        return try? pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { SharedSocket($0) } ?? nil
    }

    // MARK: Inbound

    func read(context: ChannelHandlerContext) {
        if inbound.mayRead() { context.read() }
    }

    /// Resumes reading the socket, because the buffer has room again.
    func resumeReading() { context?.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { inbound.add(unwrapInboundIn(data)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, let (handshake, tls) = handshake {
            let bindings = TLSChannelBindings(tls)
            if let verificationError = handshake.verificationError(to: tls.peerCertificate, at: context.remoteAddress) {
                complete(.failure(verificationError))
                closeNow()
            } else {
                encryption = TLSConnectionSummary(tls)
                channelBindings = bindings
                complete(.success(()))
            }
        } else if case .inputClosed? = event as? ChannelEvent {
            inbound.end(.success(nil))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers close without close_notify; the protocol above can detect missing data.
        if case NIOSSLError.uncleanShutdown = error { return }
        fail(error)
        closeNow()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isFinishing { inbound.end(.success(nil)) }
        fail(ChannelError.eof)
    }

    private func fail(_ error: any Error) {
        // First, so that callbacks see the final state.
        outbound.end(dropping: true)
        if opened == nil, let (handshake, tls) = handshake {
            // The certificate may have been refused after the secret was derived.
            _ = ExporterSecret.take()
            complete(.failure(handshake.failure(error, tls.peerCertificate)))
        }
        if let (handshake, _) = handshake, case .other(let reason)? = NIOSSLErrorKind(error) {
            // With TLS 1.3, the server rejects the client certificate only after the handshake.
            inbound.end(.failure(.handshake(handshake.endpoint, reason: reason)))
        } else {
            inbound.end(.failure(.lost(reason: ErrorText.describe(error))))
        }
    }

    // MARK: Outbound

    /// Passes queued bytes to the system, one chunk at a time.
    func send() {
        guard !isWriting, !isJoining, let context else { return }
        if outgoing.count == 0 {
            if waitsForMore(context) { return }
            outgoing = outbound.take()
        }
        guard let chunk = outgoing.next(upTo: Self.chunk, isEncrypted: handshake != nil) else {
            if isFinishing, !isOutputClosed {
                isOutputClosed = true
                context.close(mode: .output, promise: nil)
            }
            return
        }
        isWriting = true
        let count = chunk.readableBytes
        context.writeAndFlush(wrapOutboundOut(chunk)).assumeIsolated().whenComplete { result in
            self.isWriting = false
            self.outbound.sent(count)
            switch result {
            // In a later turn of the event loop, to be fair to other connections and to limit recursion.
            case .success: context.eventLoop.assumeIsolated().execute { self.send() }
            case .failure(let error): self.fail(error)
            }
        }
    }

    /// Lets queued bytes wait for others, if the last write was just before.
    ///
    /// While they wait, more bytes don't wake the event loop.
    ///
    /// - Returns: Whether they wait.
    private func waitsForMore(_ context: ChannelHandlerContext) -> Bool {
        guard joinsWrites, !isFinishing, let wait = outbound.wait(forUpTo: Self.chunk) else { return false }
        isJoining = true
        context.eventLoop.assumeIsolated().scheduleTask(in: wait) {
            self.isJoining = false
            self.send()
        }
        return true
    }

    // MARK: Closing

    /// Sends queued bytes, closes the output, and waits for the other side to do the same.
    func closeGracefully(within time: TimeAmount) {
        guard let context else { return }
        (isFinishing, isJoining) = (true, false)
        send()
        let close = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.inbound.end(.failure(.closed))
            self.closeNow()
        }
        context.channel.closeFuture.assumeIsolated().whenComplete { _ in close.cancel() }
    }

    /// Closes the socket without TLS's close_notify.
    func closeNow() {
        outgoing = OutboundBytes()
        guard let context else { return }
        let tls = handshake.flatMap { try? context.pipeline.syncOperations.context(handler: $0.1) }
        (tls ?? context).close(promise: nil)
    }
}
