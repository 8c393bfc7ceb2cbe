import Synchronization

extension Robot {
    /// Whether the web server has to run: if an enabled script has a route that starts it, or if the settings say so.
    package var needsServer: Bool {
        let off = switches.off
        let fallback = dispatcher.registry.fallbackRoute
        return server?.startsWithoutRoutes == true || routes.contains { $0.startsServer && !off.contains($0.script) }
            || fallback.map { $0.startsServer && !off.contains($0.script) } ?? false
    }

    /// Whether the robot serves its routes over HTTP.
    public var servesHTTP: Bool { server != nil && needsServer }

    /// Whether the web server was started; scripts that are loaded later don't start it.
    package var isListening: Bool { hasStartedServer.load(ordering: .relaxed) }

    /// Runs the web server, if it is needed, and returns once it listens.
    ///
    /// If the server fails, the robot stops.
    func serve() async -> Task<(any Error)?, Never>? {
        _ = AllocatorTuning.mapLargeBlocks
        guard let server, needsServer else { return nil }
        hasStartedServer.store(true, ordering: .relaxed)
        let isListening = AsyncLatch()
        let serving = Task<(any Error)?, Never> {
            defer { isListening.open() }
            do {
                try await server.run(RouteResponder(robot: self)) { isListening.open() }
                return nil
            } catch {
                if Task.isCancelled { return nil }
                hasServerFailed.store(true, ordering: .releasing)
                stop()
                return error
            }
        }
        await isListening.wait()
        return serving
    }

    /// The path of the help page; nil if no enabled script has one.
    package var helpPage: String? { RouteResponder(robot: self).helpPage }
}
