import Synchronization

/// A fixed number of permits for work that is skipped if none is free.
final class NonBlockingSemaphore: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) { free = Atomic(count) }

    /// Takes a permit.
    ///
    /// - Returns: False if none is free.
    func tryAcquire() -> Bool {
        if free.subtract(1, ordering: .acquiringAndReleasing).newValue >= 0 { return true }
        release()
        return false
    }

    /// Returns a permit.
    func release() { free.add(1, ordering: .acquiringAndReleasing) }
}
