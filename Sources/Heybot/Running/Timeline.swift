package import FoundationEssentials

/// The time a robot lives by: a clock that only goes forward, and the date.
package struct Timeline: Sendable {
    /// The time since the timeline began.
    package let now: @Sendable () -> Duration
    /// Sleeps that long; throws where cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    package let date: @Sendable () -> Date

    package init<C: Clock>(_ clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        self.date = date
    }
}
