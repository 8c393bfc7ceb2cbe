import Heybot

/// A web server without a web: it hands the robot's routes to the test.
final class RouteHolder: HTTPServer {
    let isWantedAnyway = false
    private let routes = Watched<Routes?>(nil)
    /// What is done before the robot's adapters run.
    private let early: @Sendable (Routes) async -> Void

    init(early: @escaping @Sendable (Routes) async -> Void = { _ in }) {
        self.early = early
    }

    func run(_ routes: Routes, listening: @escaping @Sendable () -> Void) async throws {
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

    static func post(_ routes: Routes, _ path: String, _ body: some Sequence<UInt8>) async -> WebResponse {
        let bytes = Array(body)
        let answer = await routes.answer(
            .post, path, headers: ["Content-Type": "application/json"], client: nil
        ) { _, _ in bytes }
        return answer ?? WebRefusal(404, "There is nothing here.").response
    }
}
