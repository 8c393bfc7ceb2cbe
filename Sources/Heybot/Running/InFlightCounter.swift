import Synchronization

/// Counts the work that is under way, and waits until there is none.
package final class InFlightCounter: Sendable {
    private struct State {
        var count = 0
        /// Opens when the count reaches zero; nil if nothing waits for that.
        var idle: AsyncLatch?
    }

    private let state = Mutex(State())
    private let whenIdle: (@Sendable () -> Void)?

    /// Creates a counter of nothing.
    ///
    /// - Parameter whenIdle: Called each time that the count reaches zero.
    package init(whenIdle: (@Sendable () -> Void)? = nil) { self.whenIdle = whenIdle }

    /// Whether no work is under way.
    var isIdle: Bool { state.withLock { $0.count == 0 } }

    /// Counts a piece of work that begins.
    package func begin() {
        state.withLock { $0.count += 1 }
    }

    /// Counts a piece of work that has ended.
    package func end() {
        let (isIdle, idle): (Bool, AsyncLatch?) = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return (false, nil) }
            defer { state.idle = nil }
            return (true, state.idle)
        }
        idle?.open()
        if isIdle { whenIdle?() }
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
