import Synchronization

/// How much is going on, and a way to wait until nothing is.
package final class Activity: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func begin() {
        state.withLock { $0.count += 1 }
    }

    package func end() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock {
                if $0.count > 0 { $0.waiting.append(continuation) }
                return $0.count == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
