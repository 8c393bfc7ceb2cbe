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
        let isQuick: Bool
        let run: @Sendable () async -> Void
    }

    private struct State {
        var queues: [String: Deque<Job>] = [:]
        /// The queues whose work hasn't begun.
        var new: [String] = []
        var count = 0
        var cost = 0
    }

    private let state = Mutex(State())

    /// Adds a job, which begins after ``begin()``.
    ///
    /// - Parameters:
    ///   - cost: About how many bytes it keeps in memory.
    ///   - isLimited: Whether it is refused if too many jobs wait.
    ///   - isQuick: Whether it runs no code of scripts until it waits for something, so that it may run in the thread that calls
    ///     ``begin()``.
    /// - Returns: False if it was refused.
    func add(
        to queue: String, cost: Int = 0, isLimited: Bool = true, isQuick: Bool = false,
        _ job: @escaping @Sendable () async -> Void
    ) -> Bool {
        state.withLock { state in
            let waiting = state.queues[queue]?.count ?? 0
            let isFull = waiting >= Self.limit.jobs - state.count || state.cost + cost > Self.limit.bytes
            guard !isLimited || !isFull else { return false }
            state.count += 1
            state.cost += cost
            if state.queues[queue] == nil { state.new.append(queue) }
            state.queues[queue, default: []].append(Job(cost: cost, isQuick: isQuick, run: job))
            return true
        }
    }

    /// Whether everything that was added to a queue is done.
    func isIdle(_ queue: String) -> Bool { state.withLock { $0.queues[queue] == nil } }

    /// Begins the work of queues that were empty.
    ///
    /// Don't call it under a lock that the jobs take.
    func begin() {
        let queues = state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
        // Detached: the work doesn't belong to the message that caused it.
        for queue in queues {
            if #available(macOS 26, *) {
                Task.immediateDetached { await self.work(on: queue) }
            } else {
                Task.detached { await self.work(on: queue) }
            }
        }
    }

    /// Waits until the jobs that wait in a queue now are done.
    func finish(_ queue: String) async {
        await withCheckedContinuation { continuation in
            _ = add(to: queue, isLimited: false) { continuation.resume() }
            begin()
        }
    }

    private func work(on queue: String) async {
        while let job = next(in: queue) {
            // Leaves a thread that isn't one of Swift concurrency's.
            if !job.isQuick { await Task.yield() }
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
