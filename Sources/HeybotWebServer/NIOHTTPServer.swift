public import Heybot
import HeybotSockets
public import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The robot's web server, on the thread that does all I/O.
public struct NIOHTTPServer: HTTPServer {
    /// The server's configuration.
    package let configuration: Configuration
    private let logger: Logger
    private let onListening: @Sendable (Int) -> Void

    /// Creates a server.
    ///
    /// It listens once it runs.
    ///
    /// - Parameter onListening: Called with the port once the server listens.
    public init(
        _ configuration: Configuration = Configuration(), logger: Logger = Logger(label: "heybot.web"),
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
    }

    /// Whether the server runs even if no script's route needs it.
    public var startsWithoutRoutes: Bool { configuration.startsWithoutRoutes }

    /// Runs the server until the task is canceled.
    ///
    /// - Throws: ``WebServerListenError`` if it can't listen.
    public func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws {
        let connections = ConnectionLimiter(limit: configuration.connections)
        let requestHandler = HTTPRequestHandler(routes, configuration, connections)
        // Longer than the body's timeout, so that a late body is answered before the connection closes.
        let idle = TimeAmount(clamping: configuration.bodyTimeout * 2)
        // Another robot may share its port too.
        if configuration.requiresFreePort { try await check() }
        let listener = try await bind(
            ServerBootstrap(group: EventLoopThread.group)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            HTTPResponseEncoder(), ByteToMessageHandler(Self.decoder()), RequestHeadValidator(),
                            HTTPConnectionHandler(requestHandler, connections, idleTimeout: idle))
                        connections.add(channel)
                    }
                }, sharesPort: configuration.sharesPort)
        announce(listener.localAddress?.port ?? 0)
        listening()
        await withTaskCancellationHandler {
            try? await listener.closeFuture.get()
        } onCancel: {
            listener.close(promise: nil)
        }
        await connections.quiesce()
    }

    /// Checks whether the port is free, by listening on it for a moment without answering.
    public func check() async throws(WebServerListenError) {
        let bootstrap = ServerBootstrap(group: EventLoopThread.group).childChannelInitializer { $0.close() }
        let listener = try await bind(bootstrap, sharesPort: false)
        try? await listener.close()
    }

    private func bind(
        _ bootstrap: ServerBootstrap, sharesPort: Bool
    ) async throws(WebServerListenError) -> any Channel {
        do {
            let sharing = NIOBSDSocket.Option(rawValue: SO_REUSEPORT)
            return try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.socketOption(sharing), value: sharesPort ? 1 : 0)
                .bind(host: configuration.address, port: configuration.port).get()
        } catch {
            throw WebServerListenError(error, configuration)
        }
    }

    /// A decoder with limits for the size and number of header fields.
    private static func decoder() -> HTTPRequestDecoder {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 80 << 10
        limits.maxHeaderListSize = 80 << 10
        limits.maxHeaderFieldCount = 1_000
        return HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
    }

    private func announce(_ port: Int) {
        let address = configuration.address
        logger.notice("the web server is listening on \(Self.url(address, port))")
        if !configuration.isAddressChosen, configuration.credentials == nil {
            let setting = configuration.addressSetting
            let fix =
                "to prevent this, set \(setting) to 127.0.0.1; to allow it and end this warning, set it to \(address)"
            logger.warning(
                "anyone who can reach this machine can read /healthz, /metrics and the list of commands: \(fix)")
        }
        onListening(port)
    }

    private static func url(_ address: String, _ port: Int) -> String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(port)"
    }
}
