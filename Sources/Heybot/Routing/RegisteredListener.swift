import Synchronization

/// A listener in its place, and what is known of its matcher.
final class RegisteredListener: Sendable, Comparable {
    let listener: Listener
    /// How many were registered before it, of those too that have gone.
    let order: Int
    private let slowMatches = Atomic(0)

    init(_ listener: Listener, order: Int) {
        self.listener = listener
        self.order = order
    }

    /// Counts that its matcher took long, and returns how often it has now.
    func matchedSlowly() -> Int { slowMatches.add(1, ordering: .relaxed).newValue }

    static func < (one: RegisteredListener, other: RegisteredListener) -> Bool { one.order < other.order }
    static func == (one: RegisteredListener, other: RegisteredListener) -> Bool { one === other }
}
