/// What brings the world's requests to a robot's routes.
public protocol HTTPServer: Sendable {
    /// Whether it is to run even where no script has a route of its own.
    var isWantedAnyway: Bool { get }

    /// Answers requests until the task is cancelled; then it takes no more, and returns when those it has are answered.
    ///
    /// It is not called before the brain is open and every script registered, and before it listens no adapter runs.
    ///
    /// - Parameters:
    ///   - routes: Where it takes what it is asked.
    ///   - listening: To be called when it listens.
    /// - Throws: What keeps it from listening, in one line that names the cure.
    func run(_ routes: Routes, listening: @escaping @Sendable () -> Void) async throws
}

/// Where an HTTP server takes what it is asked.
public struct Routes: Sendable {
    let robot: Robot

    /// The answer to a request; nil where there is no such route, so that the server may have an answer of its own.
    ///
    /// - Parameters:
    ///   - method: What is to be done.
    ///   - target: The path and query as they were sent.
    ///   - headers: The request's header fields.
    ///   - client: The address of whoever asks.
    ///   - body: Reads the body for a route, of at most so many bytes; called at most once, after what the route wants to
    ///     see in the header fields. It throws ``WebRefusal`` with status 413 if the body is longer.
    public func answer(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders, client: String?,
        body: @escaping @Sendable (_ route: Route, _ limit: Int) async throws -> [UInt8]
    ) async -> WebResponse? {
        await robot.answer(method, target, headers, client, body)
    }

    /// The longest body that a route takes, in bytes.
    public var longestBody: Int { robot.routes.map { $0.limit ?? robot.limits.body }.max() ?? robot.limits.body }

    /// The path of the page with what the robot can do; nil if no script has one.
    public var helpPage: String? { robot.helpPage }

    /// Counts an answer that no route gave.
    ///
    /// - Parameters:
    ///   - source: What gave it, as `files`; `none` where nothing did.
    ///   - status: Its status.
    public func count(_ source: String, status: Int) {
        robot.counters.answered(source, status: status)
    }
}
