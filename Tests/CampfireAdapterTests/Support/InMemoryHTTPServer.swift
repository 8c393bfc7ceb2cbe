import Heybot

/// An HTTP server without sockets, which passes the robot's routes to the test.
final class InMemoryHTTPServer: HTTPServer {
    let startsWithoutRoutes = false
    private let routes = ObservedValue<RouteResponder?>(nil)
    /// Called before the robot's adapters run.
    private let early: @Sendable (RouteResponder) async -> Void

    init(early: @escaping @Sendable (RouteResponder) async -> Void = { _ in }) {
        self.early = early
    }

    func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws {
        await early(routes)
        self.routes.change { $0 = routes }
        listening()
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    /// Whether the robot has started it.
    var isRunning: Bool { routes.value != nil }

    @discardableResult
    func post(_ path: String, _ body: some Sequence<UInt8>) async -> WebResponse {
        guard let routes = await routes.wait(until: { $0 != nil }) else { return WebResponse(status: 0) }
        return await Self.post(routes, path, body)
    }

    static func post(_ routes: RouteResponder, _ path: String, _ body: some Sequence<UInt8>) async -> WebResponse {
        let bytes = Array(body)
        let answer = await routes.answer(
            .post, path, headers: ["Content-Type": "application/json"], client: nil
        ) { _, _ in bytes }
        return answer ?? WebRefusal(404, "Not found.").response
    }
}
