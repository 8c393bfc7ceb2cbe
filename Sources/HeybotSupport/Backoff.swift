/// Exponential back-off: the wait doubles after each failure, and is reset by a connection that was stable for a while.
///
/// A part of each wait is random, so that the clients of a server don't reconnect at the same moment.
package struct Backoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration
    private let stable: Duration
    private var failures = 0

    /// Creates a back-off.
    ///
    /// - Parameters:
    ///   - first: The wait after the first failure.
    ///   - longest: The longest wait.
    ///   - stable: The lifetime from which on a connection resets the back-off.
    package init(first: Duration, longest: Duration, stable: Duration = .zero) {
        (self.first, self.longest, self.stable) = (first, longest, stable)
    }

    /// The wait after a number of earlier failures in a row, without randomness.
    package func wait(after failures: Int) -> Duration { min(first * (1 << min(failures, 30)), longest) }

    /// The next wait: between half of the full wait and all of it.
    ///
    /// - Parameter chance: A random number from 0 to 1.
    package mutating func next(chance: Double) -> Duration {
        let whole = wait(after: failures)
        failures += 1
        return whole / 2 + whole / 2 * min(max(chance, 0), 1)
    }

    /// Resets the back-off if the connection that failed had been stable.
    package mutating func connectionLasted(_ time: Duration) {
        if time >= stable { failures = 0 }
    }
}
