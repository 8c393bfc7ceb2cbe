import HeybotSockets
import NIOCore
import NIOPosix

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
