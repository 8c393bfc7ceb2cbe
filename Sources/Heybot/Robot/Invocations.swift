import Synchronization

/// The invocations under way, so that a robot that stops can cancel them.
final class Invocations: Sendable {
    private struct State {
        var open: [ObjectIdentifier: Invocation] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// False where the robot is stopping and nothing more may begin.
    func add(_ invocation: Invocation) -> Bool {
        state.withLock {
            if !$0.isClosed { $0.open[ObjectIdentifier(invocation)] = invocation }
            return !$0.isClosed
        }
    }

    func remove(_ invocation: Invocation) {
        _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(invocation)) }
    }

    /// Cancels all there are and lets none begin; tells how many were running, those that wait for somebody not counted.
    func close() -> Int {
        let open = state.withLock { state in
            state.isClosed = true
            defer { state.open = [:] }
            return Array(state.open.values)
        }
        let running = open.count { !$0.isPaused }
        for invocation in open { invocation.cancel() }
        return running
    }
}
