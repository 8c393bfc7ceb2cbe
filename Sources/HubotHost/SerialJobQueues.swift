import DequeModule
import Synchronization

/// Work for the network or the brain that scripts have caused: in order within a queue, while queues don't wait for each other.
final class SerialJobQueues: Sendable {
    /// The number of jobs that may wait, and their cost in bytes.
    ///
    /// A queue never gets more than half of the jobs that are left.
    private static let limit = (jobs: 2_000, bytes: 64 << 20)

    private struct Job {
        let cost: Int
        let run: @Sendable () async -> Void
    }

    private struct State {
        var queues: [String: Deque<Job>] = [:]
        var count = 0
        var cost = 0
    }

    private let state = Mutex(State())

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - cost: About how many bytes it keeps in memory.
    ///   - isLimited: Whether it is refused if too many jobs wait.
    /// - Returns: False if it was refused.
    func add(
        to queue: String, cost: Int = 0, isLimited: Bool = true, _ job: @escaping @Sendable () async -> Void
    ) -> Bool {
        let (isAdded, isFirst) = state.withLock { state in
            let waiting = state.queues[queue]?.count ?? 0
            let isFull = waiting >= Self.limit.jobs - state.count || state.cost + cost > Self.limit.bytes
            guard !isLimited || !isFull else { return (false, false) }
            state.count += 1
            state.cost += cost
            let isFirst = state.queues[queue] == nil
            state.queues[queue, default: []].append(Job(cost: cost, run: job))
            return (true, isFirst)
        }
        // Detached: the work doesn't belong to the message that caused it.
        if isFirst { Task.detached { await self.work(on: queue) } }
        return isAdded
    }

    /// Waits until the jobs that wait in a queue now are done.
    func finish(_ queue: String) async {
        await withCheckedContinuation { continuation in
            _ = add(to: queue, isLimited: false) { continuation.resume() }
        }
    }

    private func work(on queue: String) async {
        while let job = next(in: queue) {
            await job.run()
            state.withLock { $0.cost -= job.cost }
        }
    }

    private func next(in queue: String) -> Job? {
        state.withLock { state in
            guard let job = state.queues[queue]?.popFirst() else {
                state.queues[queue] = nil
                return nil
            }
            state.count -= 1
            return job
        }
    }
}
