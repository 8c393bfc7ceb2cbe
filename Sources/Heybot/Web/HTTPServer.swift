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
