import NIOCore
import NIOSSL
import NIOTLS

/// The end of a channel's pipeline: moves bytes between the socket and the two flows.
///
/// It lives on the event loop.
final class StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What is handed to the system at once; so `unsent` is true to this many bytes.
    private static let chunk = 65_536

    let inflow: Inflow
    let outflow: Outflow
    private var context: ChannelHandlerContext?
    private var handshake: (Handshake, NIOSSLClientHandler)?

    /// Whether it is ready for bytes, or why it never will be.
    private var opened: Result<Void, ConnectionError>?
    /// How it is encrypted, once it is.
    private(set) var encryption: Encryption?
    private var onOpened: ((Result<Void, ConnectionError>) -> Void)?

    private var outgoing = ByteBuffer()
    private var isWriting = false
    private var isFinishing = false
    private var isOutputClosed = false

    init(_ limits: Connection.Limits) {
        inflow = Inflow(limit: limits.unread)
        outflow = Outflow(limit: limits.unsent)
    }

    // MARK: Opening

    /// Puts it into a channel, behind TLS if there is a handshake to be made.
    func join(_ channel: any Channel, _ handshake: Handshake?) throws {
        if let handshake {
            let handler = try handshake.makeHandler()
            try channel.pipeline.syncOperations.addHandler(handler)
            self.handshake = (handshake, handler)
        }
        try channel.pipeline.syncOperations.addHandler(self)
    }

    /// Puts TLS into a channel that has been open without; calls once it is ready again, or can't be.
    func startTLS(
        _ handshake: Handshake, within time: Duration, _ call: @escaping (Result<Void, ConnectionError>) -> Void
    ) {
        guard let context, self.handshake == nil, case .success? = opened else { return call(.failure(.closed)) }
        if inflow.hasEnded { return call(.failure(.lost(reason: "the other side closed it"))) }
        // Whoever sits in between could have put it there, for us to take it for something encrypted.
        guard !inflow.hasBytes else {
            return call(.failure(.handshake(handshake.endpoint, reason: "the server goes on in the clear")))
        }
        do {
            let handler = try handshake.makeHandler()
            self.handshake = (handshake, handler)
            opened = nil
            whenOpened(call)
            try context.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            return settle(.failure((error as? ConnectionError) ?? .lost(reason: Words.of(error))))
        }
        let deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: time)) {
            self.settle(.failure(.slow(handshake.endpoint, .handshaking, time)))
        }
        context.channel.closeFuture.assumeIsolated().whenComplete { _ in deadline.cancel() }
    }

    /// Calls once it is ready, or can't be; at once if that is so already.
    func whenOpened(_ call: @escaping (Result<Void, ConnectionError>) -> Void) {
        if let opened { call(opened) } else { onOpened = call }
    }

    private func settle(_ result: Result<Void, ConnectionError>) {
        guard opened == nil else { return }
        opened = result
        onOpened?(result)
        onOpened = nil
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        if handshake == nil { settle(.success(())) }
    }

    // MARK: In

    func read(context: ChannelHandlerContext) {
        if inflow.mayRead() { context.read() }
    }

    /// Goes on reading the socket; the flow has room again.
    func resumeReading() { context?.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { inflow.add(unwrapInboundIn(data)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, let (handshake, tls) = handshake {
            if let objection = handshake.objection(to: tls.peerCertificate, at: context.remoteAddress) {
                settle(.failure(objection))
                closeNow()
            } else {
                encryption = Encryption(tls)
                settle(.success(()))
            }
        } else if case .inputClosed? = event as? ChannelEvent {
            inflow.end(.success(nil))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers end so; what is missing, if anything, the protocol above can tell.
        if case NIOSSLError.uncleanShutdown = error { return }
        fail(error)
        closeNow()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isFinishing { inflow.end(.success(nil)) }
        fail(ChannelError.eof)
    }

    private func fail(_ error: any Error) {
        // First, so that whoever is told can rely on it.
        outflow.end(dropping: true)
        if opened == nil, let (handshake, tls) = handshake {
            settle(.failure(handshake.failure(error, tls.peerCertificate)))
        }
        if let (handshake, _) = handshake, case .other(let reason)? = TLSAlert(error) {
            // Since TLS 1.3 the server says no to our certificate only after the handshake.
            inflow.end(.failure(.handshake(handshake.endpoint, reason: reason)))
        } else {
            inflow.end(.failure(.lost(reason: Words.of(error))))
        }
    }

    // MARK: Out

    /// Hands over what waits, a chunk at a time.
    func send() {
        guard !isWriting, let context else { return }
        if outgoing.readableBytes == 0 { outgoing = outflow.take() }
        let count = min(outgoing.readableBytes, Self.chunk)
        guard count > 0, let chunk = outgoing.readSlice(length: count) else {
            if isFinishing, !isOutputClosed {
                isOutputClosed = true
                context.close(mode: .output, promise: nil)
            }
            return
        }
        isWriting = true
        context.writeAndFlush(wrapOutboundOut(chunk)).assumeIsolated().whenComplete { result in
            self.isWriting = false
            self.outflow.sent(count)
            switch result {
            // In a turn of its own: other connections want theirs, and the stack isn't endless.
            case .success: context.eventLoop.assumeIsolated().execute { self.send() }
            case .failure(let error): self.fail(error)
            }
        }
    }

    // MARK: Closing

    /// Sends what waits, says that nothing follows, and gives the other side so long to do the same.
    func finish(within time: TimeAmount) {
        guard let context else { return }
        isFinishing = true
        send()
        let close = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.inflow.end(.failure(.closed))
            self.closeNow()
        }
        context.channel.closeFuture.assumeIsolated().whenComplete { _ in close.cancel() }
    }

    /// Closes the socket itself; TLS would take its leave first.
    func closeNow() {
        outgoing = ByteBuffer()
        guard let context else { return }
        let tls = handshake.flatMap { try? context.pipeline.syncOperations.context(handler: $0.1) }
        (tls ?? context).close(promise: nil)
    }
}
