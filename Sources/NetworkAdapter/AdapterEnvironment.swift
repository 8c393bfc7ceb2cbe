import FoundationEssentials
package import Heybot
package import Logging

/// What a network adapter gets from outside: time, randomness and its log.
package struct AdapterEnvironment: Sendable {
    /// What a robot is called unless it is told otherwise: an adapter learns its name only when it runs.
    package static let robotName = "Heybot"

    let timeline: Timeline
    let generator: any RandomNumberGenerator & Sendable
    private let logger: Logger?

    /// - Parameter logger: Nil for one of the adapter's name.
    package init(
        _ timeline: Timeline = Timeline(ContinuousClock(), date: { .now }),
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), logger: Logger? = nil
    ) {
        self.timeline = timeline
        self.generator = generator
        self.logger = logger
    }

    /// The log of an adapter.
    package func logger(of adapter: String) -> Logger { logger ?? Logger(label: "heybot.\(adapter)") }
}
