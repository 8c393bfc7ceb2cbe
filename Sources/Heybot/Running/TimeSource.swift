package import FoundationEssentials

/// The time of a robot: a monotonic clock, and the date.
package struct TimeSource: Sendable {
    /// The time since the time source was made.
    package let now: @Sendable () -> Duration
    /// Sleeps that long; throws `CancellationError` if the task is canceled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// The current date.
    package let date: @Sendable () -> Date

    package init<C: Clock>(_ clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        self.date = date
    }
}
