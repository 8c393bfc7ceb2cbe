/// An HTTP server that passes requests to a robot's routes.
public protocol HTTPServer: Sendable {
    /// Whether the server runs even if no script's route needs it.
    var startsWithoutRoutes: Bool { get }

    /// Answers requests until the task is cancelled. Then it accepts no more, and returns once pending requests are answered.
    ///
    /// It is called once the brain is open and every script is registered. Adapters start once it listens.
    ///
    /// - Parameters:
    ///   - routes: Answers the requests.
    ///   - listening: Must be called once the server listens.
    /// - Throws: An error if the server can't listen, with the fix in its one-line description.
    func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws
}

extension Robot {
    /// Whether the web server has to run: if an enabled script has a route that starts it, or if the settings say so.
    package var needsServer: Bool {
        server?.startsWithoutRoutes == true || routes.contains { $0.startsServer && !switches.off.contains($0.script) }
    }

    /// Whether the robot serves its routes over HTTP.
    public var servesHTTP: Bool { server != nil && needsServer }

    /// Runs the web server, if it is needed, and returns once it listens.
    ///
    /// If the server fails, the robot stops.
    func serve() async -> Task<(any Error)?, Never>? {
        _ = AllocatorTuning.mapLargeBlocks
        guard let server, needsServer else { return nil }
        let isListening = AsyncLatch()
        let serving = Task<(any Error)?, Never> {
            defer { isListening.open() }
            do {
                try await server.run(RouteResponder(robot: self)) { isListening.open() }
                return nil
            } catch {
                if Task.isCancelled { return nil }
                stop()
                return error
            }
        }
        await isListening.wait()
        return serving
    }

    /// The number of messages that wait in the inbox.
    package var waitingMessages: Int { queue.count }

    /// The path of the help page; nil if no enabled script has one.
    package var helpPage: String? { RouteResponder(robot: self).helpPage }
}
