import Synchronization

/// Counts the work that is under way, and waits until there is none.
package final class InFlightCounter: Sendable {
    private struct State {
        var count = 0
        /// Opens when the count reaches zero; nil if nothing waits for that.
        var idle: AsyncLatch?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether no work is under way.
    var isIdle: Bool { state.withLock { $0.count == 0 } }

    /// Counts a piece of work that begins.
    package func begin() {
        state.withLock { $0.count += 1 }
    }

    /// Counts a piece of work that has ended.
    package func end() {
        let idle: AsyncLatch? = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.idle = nil }
            return state.idle
        }
        idle?.open()
    }

    /// Waits until the count is zero, or the task is canceled.
    package func waitUntilIdle() async {
        let idle: AsyncLatch? = state.withLock { state in
            guard state.count > 0 else { return nil }
            let idle = state.idle ?? AsyncLatch()
            state.idle = idle
            return idle
        }
        await idle?.wait()
    }
}
