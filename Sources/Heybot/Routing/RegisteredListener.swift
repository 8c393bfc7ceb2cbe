import Metrics
import Synchronization

/// A listener in its place, and what is known of its matcher.
package final class RegisteredListener: Sendable, Comparable {
    private struct State {
        /// When its matcher was slow lately.
        var slow: [Duration] = []
        var told: Duration?
        var matches: Counter?
    }

    /// So often a matcher may be slow in so long a time before it is told, and then not again for a while: on a busy
    /// machine anybody is slow now and then.
    private static let (often, lately, silence) = (5, Duration.seconds(600), Duration.seconds(3_600))

    let listener: Listener
    /// How many were registered before it.
    let order: Int
    private let state = Mutex(State())

    init(_ listener: Listener, order: Int) {
        self.listener = listener
        self.order = order
    }

    /// Takes down that its matcher took long; true if that should be told.
    func matchedSlowly(at now: Duration) -> Bool {
        state.withLock { state in
            state.slow = state.slow.filter { now - $0 < Self.lately } + [now]
            guard state.slow.count >= Self.often else { return false }
            state.slow = []
            if let told = state.told, now - told < Self.silence { return false }
            state.told = now
            return true
        }
    }

    /// What counts its matches, made with the first: there may be thousands that never have one.
    func matches(_ make: () -> Counter) -> Counter {
        state.withLock { state in
            if let matches = state.matches { return matches }
            let matches = make()
            state.matches = matches
            return matches
        }
    }

    package static func < (one: RegisteredListener, other: RegisteredListener) -> Bool { one.order < other.order }
    package static func == (one: RegisteredListener, other: RegisteredListener) -> Bool { one === other }
}
