import Synchronization

/// A mutual exclusion lock that suspends its waiters, in first-in, first-out order.
final class AsyncLock: Sendable {
    private struct State {
        var isLocked = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for the lock; call ``unlock()`` to release it.
    func lock() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isLocked = true }
                if state.isLocked { state.waiting.append(continuation) }
                return !state.isLocked
            }
            if isFree { continuation.resume() }
        }
    }

    func unlock() {
        let next = state.withLock { state in
            state.isLocked = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
