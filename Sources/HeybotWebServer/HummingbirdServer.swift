import HTTPTypes
public import Heybot
import HeybotSockets
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The robot's web server, on the thread that does all I/O.
public struct HummingbirdServer: HTTPServer {
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

    /// Runs the server until the task is cancelled.
    ///
    /// - Throws: ``WebServerError`` if it can't listen.
    public func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws {
        // Hummingbird logs its internals at lower levels.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        // Longer than the body's timeout, so that a late body is answered before the connection closes.
        let idle = TimeAmount(clamping: configuration.bodyTimeout * 2)
        let (configuration, logger, onListening) = (configuration, logger, onListening)
        let address = configuration.address
        let connections = ConnectionLimiter(limit: configuration.connections)
        let application = Application(
            responder: Responder(routes, configuration, connections),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionHandler(connections, writeTimeout: idle)], idleTimeout: idle)),
            configuration: ApplicationConfiguration(address: .hostname(address, port: configuration.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                logger.notice("the web server is listening on \(Self.url(address, port))")
                if !configuration.isAddressChosen, configuration.credentials == nil {
                    let fix = "set \(configuration.addressSetting) to 127.0.0.1, or to \(address) to confirm that"
                    logger.warning(
                        "anyone who can reach this machine can read /healthz, /metrics and the list of commands: \(fix)"
                    )
                }
                onListening(port)
                listening()
            },
            eventLoopGroupProvider: .shared(EventLoopThread.group), logger: quiet)
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: quiet))
        let running = Task { try await group.run() }
        do {
            try await withTaskCancellationHandler {
                try await running.value
            } onCancel: {
                Task { await group.triggerGracefulShutdown() }
            }
        } catch {
            throw WebServerError(error, configuration)
        }
    }

    private static func url(_ address: String, _ port: Int) -> String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(port)"
    }
}

extension HummingbirdServer {
    /// Checks whether the port is free, by listening on it for a moment without answering.
    public func check() async throws(WebServerError) {
        let (address, port) = (configuration.address, configuration.port)
        do {
            let listener = try await ServerBootstrap(group: EventLoopThread.group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { $0.close() }
                .bind(host: address, port: port).get()
            try await listener.close()
        } catch {
            throw WebServerError(error, configuration)
        }
    }
}
