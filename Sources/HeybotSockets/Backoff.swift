/// How long to wait before connecting again: twice as long each time, until a connection has held for a while.
///
/// A part of each wait is chance, so that a thousand clients of one server don't come back at the same moment.
public struct Backoff: Hashable, Sendable {
    /// The first wait.
    public var first: Duration
    /// The longest.
    public var longest: Duration
    /// A connection that has held for so long begins anew.
    public var stable: Duration
    private var failures = 0

    /// Makes one that begins with the first wait.
    public init(first: Duration = .seconds(2), longest: Duration = .seconds(300), stable: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
        self.stable = stable
    }

    /// The next wait, from half of what is due to all of it.
    ///
    /// - Parameter chance: A number from 0 to 1.
    public mutating func next(chance: Double) -> Duration {
        let whole = min(first * (1 << min(failures, 30)), longest)
        failures += 1
        return whole / 2 + whole / 2 * min(max(chance, 0), 1)
    }

    /// Takes into account how long the connection has held that has broken now.
    public mutating func held(for time: Duration) {
        if time >= stable { failures = 0 }
    }
}
