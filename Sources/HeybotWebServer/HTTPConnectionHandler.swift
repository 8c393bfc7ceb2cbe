import NIOCore
import NIOHTTP1

/// Answers the requests of a connection, one after another (RFC 9112 section 9.3).
///
/// While a request is answered, the connection isn't read any further than its body is asked for; what has been read already
/// waits.
final class HTTPConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case idle
        case answering(Exchange)
        /// The last response has been sent.
        ///
        /// What arrives is discarded until the client closes, since an immediate close could take the response from it
        /// (RFC 9112 section 9.6).
        case lingering
    }

    /// A request whose response hasn't been sent completely.
    private struct Exchange {
        /// The body; nil once the whole request has arrived.
        var body: IncomingBody?
        /// Whether the connection closes after the response.
        var closes: Bool
        var expectsContinue: Bool
    }

    /// What the HTTP parser has read.
    private enum ParserOutput {
        case part(HTTPServerRequestPart)
        /// What the client sends isn't valid HTTP.
        case invalid
    }

    /// The time that a client has to close its side after the last response.
    private static let lingerTimeout = TimeAmount.seconds(2)

    private let requestHandler: HTTPRequestHandler
    private let connections: ConnectionLimiter
    private let idleTimeout: TimeAmount
    private var context: ChannelHandlerContext?
    private var client = ""
    private var state = State.idle
    /// What arrived after the request that is being answered.
    private var waiting = CircularBuffer<ParserOutput>()
    private var isReadPending = false
    private var isInputClosed = false
    private var isQuiescing = false
    /// Whether the system hasn't taken all of the response so far.
    private var isSending = false
    private var lastActivity = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?
    private var lingerTimer: Scheduled<Void>?

    /// - Parameter idleTimeout: The timeout for a request's head, for an idle connection, and for a client that doesn't read
    ///   its response.
    init(_ requestHandler: HTTPRequestHandler, _ connections: ConnectionLimiter, idleTimeout: TimeAmount) {
        self.requestHandler = requestHandler
        self.connections = connections
        self.idleTimeout = idleTimeout
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        startIdleTimer()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        idleTimer?.cancel()
        lingerTimer?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        client = context.channel.remoteAddress?.ipAddress ?? ""
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastActivity = .now()
        receive(.part(unwrapInboundIn(data)))
    }

    func read(context: ChannelHandlerContext) {
        isReadPending = true
        readIfWanted()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { receive(.invalid) } else { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            isInputClosed = true
            if case .answering(let exchange) = state, exchange.body != nil { receive(.invalid) }
            closeIfDone()
        case is ChannelShouldQuiesceEvent:
            isQuiescing = true
            closeIfDone()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(let exchange) = state { exchange.body?.fail() }
        state = .lingering
        waiting.removeAll()
        context.fireChannelInactive()
    }

    // MARK: Receiving

    private func receive(_ output: ParserOutput) {
        switch (state, output) {
        case (.lingering, _): break
        case (.idle, .part(.head(let head))): begin(head)
        // The parser begins every request with its head.
        case (.idle, .part): break
        case (.idle, .invalid): refuse()
        case (.answering(var exchange), let output):
            guard let body = exchange.body else { return waiting.append(output) }
            switch output {
            case .part(.head): break
            case .part(.body(let part)):
                exchange.expectsContinue = false
                state = .answering(exchange)
                body.receive(part)
            case .part(.end):
                exchange.body = nil
                state = .answering(exchange)
                body.complete()
            case .invalid:
                (exchange.body, exchange.closes) = (nil, true)
                state = .answering(exchange)
                body.fail()
            }
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        guard let context else { return }
        let (channel, loop, client, requestHandler) = (context.channel, context.eventLoop, client, requestHandler)
        let connection = NIOLoopBound(self, eventLoop: loop)
        let body = requestHandler.body(of: head, from: client, on: channel) { connection.value.bodyWasClaimed() }
        // The parser stops after a request that asks for another protocol (RFC 9110 sections 7.8 and 9.3.6).
        let endsHTTP = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        let expectation = head.version == .http1_1 ? head.headers.first(name: "Expect")?.lowercased() : nil
        state = .answering(
            Exchange(
                body: body, closes: !head.isKeepAlive || endsHTTP, expectsContinue: expectation == "100-continue"))
        Task {
            let response = await requestHandler.respond(to: head, body, from: client, on: channel)
            await HTTPConnectionHandler.send(response, to: connection, on: loop)
        }
    }

    /// Asks for the rest of the body, and tells the client to send it if it waits for that (RFC 9110 section 10.1.1).
    private func bodyWasClaimed() {
        guard let context, case .answering(var exchange) = state, let body = exchange.body, body.wantsMore else {
            return
        }
        if exchange.expectsContinue {
            exchange.expectsContinue = false
            state = .answering(exchange)
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        readIfWanted()
    }

    /// Reads from the channel, if it has asked for that, unless the request has arrived or its body has to wait.
    private func readIfWanted() {
        let wantsMore =
            switch state {
            case .idle, .lingering: true
            case .answering(let exchange): exchange.body?.wantsMore ?? false
            }
        guard wantsMore, isReadPending else { return }
        isReadPending = false
        context?.read()
    }

    // MARK: Sending

    private static func send(
        _ response: OutgoingResponse, to connection: NIOLoopBound<HTTPConnectionHandler>, on loop: any EventLoop
    ) async {
        guard case .file(let file, let range) = response.body else {
            return loop.execute {
                connection.value.write(response)
                connection.value.end()
            }
        }
        do {
            try await loop.submit { connection.value.write(response) }.get()
            try await file.forEachPart(of: range) { part in
                try await loop.flatSubmit { connection.value.write(part, on: loop) }.get()
            }
            loop.execute { connection.value.end() }
        } catch {
            // The length has been sent, so only an early end tells the client.
            loop.execute { connection.value.context?.close(promise: nil) }
        }
    }

    /// Writes a response's head, and its body if it is in memory.
    private func write(_ response: OutgoingResponse) {
        guard let context, case .answering(var exchange) = state else { return }
        let isLast = exchange.closes || exchange.body != nil || isQuiescing && waiting.isEmpty
        let head = response.head(closes: isLast)
        exchange.closes = !head.isKeepAlive
        state = .answering(exchange)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if case .bytes(let bytes) = response.body {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        }
    }

    /// Writes a part of a body.
    ///
    /// - Returns: A future that succeeds once the system has taken the part.
    private func write(_ part: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard let context else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        let promise = loop.makePromise(of: Void.self)
        flush(.body(.byteBuffer(part)), context, promise) {}
        return promise.futureResult
    }

    /// Ends a response.
    private func end() {
        guard let context else { return }
        flush(.end(nil), context, context.eventLoop.makePromise()) { self.responseWasSent() }
    }

    private func flush(
        _ part: HTTPServerResponsePart, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>,
        _ completion: @escaping () -> Void
    ) {
        isSending = true
        lastActivity = .now()
        startIdleTimer()
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.isSending = false
            completion()
        }
        context.writeAndFlush(wrapOutboundOut(part), promise: promise)
    }

    /// Refuses invalid HTTP.
    private func refuse() {
        state = .answering(Exchange(body: nil, closes: true, expectsContinue: false))
        write(OutgoingResponse(.badRequest, ["Content-Length": "0"]))
        end()
    }

    /// Continues with the next request, or ends the connection.
    private func responseWasSent() {
        guard let context, case .answering(let exchange) = state else { return }
        connections.setActivity(.idle, of: context.channel)
        lastActivity = .now()
        if exchange.closes { return linger(isRequestComplete: exchange.body == nil) }
        state = .idle
        while canReceive, let output = waiting.popFirst() { receive(output) }
        startIdleTimer()
        readIfWanted()
        closeIfDone()
    }

    private var canReceive: Bool {
        if case .answering(let exchange) = state { exchange.body != nil } else { true }
    }

    // MARK: Closing

    private func linger(isRequestComplete: Bool) {
        guard let context else { return }
        state = .lingering
        waiting.removeAll()
        if isInputClosed || isQuiescing && isRequestComplete { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        lingerTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerTimeout) {
            self.context?.close(promise: nil)
        }
        readIfWanted()
    }

    /// Closes the connection if nothing is left to answer, and nothing more comes or is accepted.
    private func closeIfDone() {
        if case .answering = state { return }
        if isInputClosed || isQuiescing { context?.close(promise: nil) }
    }

    private func startIdleTimer() {
        guard idleTimer == nil, let context else { return }
        idleTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastActivity + idleTimeout) {
            self.idleTimerFired()
        }
    }

    private func idleTimerFired() {
        idleTimer = nil
        // While the robot works on a response, the connection isn't idle.
        guard canReceive || isSending else { return }
        if .now() < lastActivity + idleTimeout { startIdleTimer() } else { context?.close(promise: nil) }
    }
}
