/// How fast something may happen: so often at once, and then once in an interval.
package struct Pace: Hashable, Sendable {
    /// How often at once; at least 1.
    package var burst: Int
    /// The time between two when the burst is used up; zero where there is no limit.
    package var interval: Duration

    /// As RFC 1459 section 8.10 has it in spirit: a few at once, then one after another.
    package init(burst: Int = 5, interval: Duration = .seconds(1)) {
        self.burst = max(burst, 1)
        self.interval = max(interval, .zero)
    }
}
