import Synchronization

/// Pauses between tries, which end at once when there are to be no more.
final class Naps: Sendable {
    private struct State {
        var hasEnded = false
        var last = 0
        var sleeping: [Int: Task<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// Sleeps; false if it was woken, or there is to be no more sleep.
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

    /// Wakes all, for good.
    func end() {
        let tasks = state.withLock { state in
            state.hasEnded = true
            return state.sleeping.values.map { $0 }
        }
        for task in tasks { task.cancel() }
    }
}
