import DequeModule
import Synchronization

/// What scripts send, in order for each room; rooms don't wait for each other.
final class DeliveryQueues: Sendable {
    /// The number of jobs that may wait.
    private static let limit = 2_000

    private struct State {
        var rooms: [String: Deque<@Sendable () async -> Void>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Adds a job.
    ///
    /// - Returns: False if too many wait.
    func add(to room: String, _ job: @escaping @Sendable () async -> Void) -> Bool {
        let (isAdded, isFirst) = state.withLock { state in
            guard state.count < Self.limit else { return (false, false) }
            state.count += 1
            let isFirst = state.rooms[room] == nil
            state.rooms[room, default: []].append(job)
            return (true, isFirst)
        }
        if isFirst { Task { await work(on: room) } }
        return isAdded
    }

    private func work(on room: String) async {
        while let job = next(in: room) { await job() }
    }

    private func next(in room: String) -> (@Sendable () async -> Void)? {
        state.withLock { state in
            guard let job = state.rooms[room]?.popFirst() else {
                state.rooms[room] = nil
                return nil
            }
            state.count -= 1
            return job
        }
    }
}
