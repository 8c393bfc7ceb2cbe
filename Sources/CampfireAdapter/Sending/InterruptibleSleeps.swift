import Synchronization

/// Delays between retries, which can all be canceled at once.
final class InterruptibleSleeps: Sendable {
    private struct State {
        var hasEnded = false
        var last = 0
        var sleeping: [Int: Task<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// Sleeps.
    ///
    /// - Returns: False if interrupted, or after ``end()``.
    func sleep(_ pause: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void) async -> Bool {
        let nap = state.withLock { state -> (Int, Task<Void, any Error>)? in
            guard !state.hasEnded else { return nil }
            state.last += 1
            let task = Task { try await sleep(pause) }
            state.sleeping[state.last] = task
            return (state.last, task)
        }
        guard let (number, task) = nap else { return false }
        defer { state.withLock { $0.sleeping[number] = nil } }
        return (try? await task.value) != nil
    }

    /// Interrupts all sleeps, and any future one.
    func end() {
        let tasks = state.withLock { state in
            state.hasEnded = true
            return state.sleeping.values.map { $0 }
        }
        for task in tasks { task.cancel() }
    }
}
