/// An HTTP server that passes requests to a robot's routes.
public protocol HTTPServer: Sendable {
    /// Whether the server runs even if no script's route needs it.
    var startsWithoutRoutes: Bool { get }

    /// Answers requests until the task is canceled. Then it accepts no more, and returns once pending requests are answered.
    ///
    /// It is called once the brain is open and every script is registered. Adapters start once it listens.
    ///
    /// - Parameters:
    ///   - routes: Answers the requests.
    ///   - listening: Must be called once the server listens.
    /// - Throws: An error if the server can't listen, with the fix in its one-line description.
    func run(_ routes: RouteResponder, listening: @escaping @Sendable () -> Void) async throws
}
