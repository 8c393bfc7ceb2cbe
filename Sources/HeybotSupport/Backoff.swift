/// How long to wait before trying again: twice as long each time, until what was tried has held for a while.
///
/// A part of each wait is chance, so that a thousand clients of one server don't come back at the same moment.
package struct Backoff: Hashable, Sendable {
    private let first: Duration
    private let longest: Duration
    private let stable: Duration
    private var failures = 0

    /// Makes one that begins with the first wait.
    ///
    /// - Parameter stable: A connection that has held for so long begins again.
    package init(first: Duration, longest: Duration, stable: Duration = .zero) {
        (self.first, self.longest, self.stable) = (first, longest, stable)
    }

    /// The whole wait after so many failures in a row, of which the first has none before it.
    package func wait(after failures: Int) -> Duration { min(first * (1 << min(failures, 30)), longest) }

    /// The next wait, from half of what is due to all of it.
    ///
    /// - Parameter chance: A number from 0 to 1.
    package mutating func next(chance: Double) -> Duration {
        let whole = wait(after: failures)
        failures += 1
        return whole / 2 + whole / 2 * min(max(chance, 0), 1)
    }

    /// Takes into account how long the connection has held that has broken now.
    package mutating func held(for time: Duration) {
        if time >= stable { failures = 0 }
    }
}
