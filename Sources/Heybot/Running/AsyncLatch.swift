import Synchronization

/// An event that happens once.
///
/// Tasks can wait for it, until it happens or they are canceled.
final class AsyncLatch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Opens the latch, and resumes all waiting tasks.
    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Whether the latch is open.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Waits until the latch is open, or the task is canceled.
    func wait() async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
