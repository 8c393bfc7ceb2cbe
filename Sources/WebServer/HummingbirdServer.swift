import HTTPTypes
public import Heybot
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
import Sockets

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
        let (address, logger, onListening) = (configuration.address, logger, onListening)
        let application = Application(
            responder: Responder(routes, configuration, quiet),
            server: .http1(configuration: .init(idleTimeout: idle)),
            configuration: ApplicationConfiguration(
                address: .hostname(address, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                logger.notice("answering the web at \(Self.url(address, port))")
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
