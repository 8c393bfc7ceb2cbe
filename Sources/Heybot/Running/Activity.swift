import Synchronization

/// How much is going on, and a way to wait until nothing is.
package final class Activity: Sendable {
    private struct State {
        var count = 0
        /// Opens when nothing is going on; nil if nobody waits for that.
        var idle: Gate?
    }

    private let state = Mutex(State())

    package init() {}

    package func begin() {
        state.withLock { $0.count += 1 }
    }

    package func end() {
        let idle: Gate? = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.idle = nil }
            return state.idle
        }
        idle?.open()
    }

    /// Returns when nothing is going on, or when the task is cancelled.
    package func idle() async {
        let idle: Gate? = state.withLock { state in
            guard state.count > 0 else { return nil }
            let idle = state.idle ?? Gate()
            state.idle = idle
            return idle
        }
        await idle?.wait()
    }
}
