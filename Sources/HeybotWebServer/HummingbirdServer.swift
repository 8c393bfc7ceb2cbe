import HTTPTypes
public import Heybot
import HeybotSockets
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The web server of a robot, on the one thread that does all I/O.
public struct HummingbirdServer: HTTPServer {
    /// Where it listens, and whom it answers.
    package let configuration: Configuration
    private let logger: Logger
    private let onListening: @Sendable (Int) -> Void

    /// Makes a server; it listens once it runs.
    ///
    /// - Parameter onListening: Told the port when it listens.
    public init(
        _ configuration: Configuration = Configuration(), logger: Logger = Logger(label: "heybot.web"),
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
    }

    public var isWantedAnyway: Bool { configuration.isWantedAnyway }

    public func run(_ routes: Routes, listening: @escaping @Sendable () -> Void) async throws {
        // It would tell of its own parts what nobody has asked.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        // What comes too late is told so first.
        let idle = TimeAmount(clamping: configuration.patience * 2)
        let (configuration, logger, onListening) = (configuration, logger, onListening)
        let address = configuration.address
        let connections = Connections(limit: configuration.connections)
        let application = Application(
            responder: Responder(routes, configuration, connections),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionHandler(connections, patience: idle)], idleTimeout: idle)),
            configuration: ApplicationConfiguration(address: .hostname(address, port: configuration.port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                logger.notice("answering the web at \(Self.url(address, port))")
                if !configuration.isAddressChosen, configuration.credentials == nil {
                    let cure = "set \(configuration.addressSetting) to 127.0.0.1, or to \(address) if that is meant"
                    logger.warning(
                        "whoever can reach this machine can read /healthz, /metrics and the list of commands: \(cure)")
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
    /// Finds out whether its port can be had just now: listens there for a moment, and answers nobody.
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
