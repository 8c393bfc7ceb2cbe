import FoundationEssentials
package import Heybot
package import Logging

/// What a network adapter needs from outside: time, randomness and a logger.
package struct AdapterDependencies: Sendable {
    /// The name used before an adapter runs and learns the robot's name.
    package static let robotName = "Heybot"

    let timeSource: TimeSource
    let generator: any RandomNumberGenerator & Sendable
    private let logger: Logger?

    /// - Parameter logger: Nil for a logger with the adapter's name.
    package init(
        _ timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), logger: Logger? = nil
    ) {
        self.timeSource = timeSource
        self.generator = generator
        self.logger = logger
    }

    /// The logger of an adapter.
    package func logger(of adapter: String) -> Logger { logger ?? Logger(label: "heybot.\(adapter)") }
}
