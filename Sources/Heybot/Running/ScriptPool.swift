import DequeModule
import Dispatch
import Synchronization

/// The threads that scripts run on, and nothing else does: a script that spins holds one of them and no other.
///
/// A watching thread looks for a worker that has been on one job for longer than `patience` (a script's code gives
/// its thread back at every `await`), tells of it and starts another worker in its place. A worker that comes back
/// after all takes its place again.
final class ScriptPool: Sendable {
    struct Limits: Sendable {
        /// How many workers there are at most, those that make no progress not counted.
        ///
        /// They start as needed.
        var width: Int
        /// How long a worker may be on one job before it is taken for stuck.
        var patience: Duration
        /// How many workers may be stuck at a time.
        var stuck: Int
    }

    /// What the watch has seen.
    enum Sighting: Sendable {
        /// A worker makes no progress; another has been started in its place.
        case stuck(Lane)
        /// A worker that was stuck came back, after this long.
        case recovered(Lane, after: Duration)
        /// More workers are stuck than may be: nothing can be promised any more.
        case exhausted
    }

    private let shared: Shared

    init(_ limits: Limits, onSighting: @escaping @Sendable (Sighting) -> Void) {
        shared = Shared(limits, onSighting)
    }

    /// Lanes and the jobs in the queue hold the pool: when it goes, there is nothing left to run.
    deinit { shared.close() }

    func enqueue(_ job: UnownedJob, on lane: Lane) {
        shared.enqueue(Shared.Job(job: job, lane: lane))
    }
}

/// What the workers and the watch hold: not the pool itself, or it would never end.
private final class Shared: Sendable {
    struct Job {
        let job: UnownedJob
        let lane: Lane
    }

    private struct Work {
        let lane: Lane
        /// On a clock that stands still while the machine sleeps, since then nobody makes progress.
        let since: SuspendingClock.Instant
        var isStuck = false
    }

    private struct State {
        var queue = Deque<Job>()
        var working: [Int: Work] = [:]
        var lastWorker = 0
        var live = 0
        var stuck = 0
        var isWatched = false
        var hasWatch = false
        var isClosed = false

        var waiting: Int { live - working.count }
    }

    private let limits: ScriptPool.Limits
    private let onSighting: @Sendable (ScriptPool.Sighting) -> Void
    private let state = Mutex(State())
    private let jobs = DispatchSemaphore(value: 0)
    private let watch = DispatchSemaphore(value: 0)

    init(_ limits: ScriptPool.Limits, _ onSighting: @escaping @Sendable (ScriptPool.Sighting) -> Void) {
        self.limits = limits
        self.onSighting = onSighting
    }

    func enqueue(_ job: Job) {
        let newWorker: Int? = state.withLock {
            $0.queue.append(job)
            return hire(&$0)
        }
        if let newWorker { start(newWorker) }
        jobs.signal()
    }

    func close() {
        let live = state.withLock {
            $0.isClosed = true
            return $0.live
        }
        for _ in 0..<live { jobs.signal() }
        watch.signal()
    }

    /// Counts in another worker where there is more to do than workers that wait, and room for one.
    private func hire(_ state: inout State) -> Int? {
        guard state.queue.count > state.waiting, state.live - state.stuck < limits.width else { return nil }
        state.live += 1
        state.lastWorker += 1
        return state.lastWorker
    }

    private func start(_ worker: Int) {
        if !OSThread.start({ self.work(worker) }) {
            // The workers there are will see to the queue; only without any is there nobody left.
            let none = state.withLock {
                $0.live -= 1
                return $0.live == $0.stuck
            }
            if none { onSighting(.exhausted) }
        }
    }

    private func work(_ worker: Int) {
        while true {
            jobs.wait()
            let now = SuspendingClock.now
            let (job, wakesWatch): (Job?, Bool) = state.withLock { state in
                guard let job = state.queue.popFirst() else { return (nil, false) }
                state.working[worker] = Work(lane: job.lane, since: now)
                defer { state.isWatched = true }
                return (job, !state.isWatched)
            }
            guard let job else {
                if state.withLock({ $0.isClosed }) { return }
                continue
            }
            if wakesWatch { wakeWatch() }
            job.job.runSynchronously(on: job.lane.asUnownedTaskExecutor())
            if !finish(worker) { return }
        }
    }

    /// False where the worker was replaced and is not needed any more.
    private func finish(_ worker: Int) -> Bool {
        let (late, stays): (Work?, Bool) = state.withLock {
            guard let work = $0.working.removeValue(forKey: worker), work.isStuck else { return (nil, true) }
            $0.stuck -= 1
            let stays = $0.live - $0.stuck <= limits.width
            if !stays { $0.live -= 1 }
            return (work, stays)
        }
        if let late { onSighting(.recovered(late.lane, after: late.since.duration(to: .now))) }
        return stays
    }

    private func wakeWatch() {
        let isFirst = state.withLock { state in
            defer { state.hasWatch = true }
            return !state.hasWatch
        }
        if isFirst, !OSThread.start({ self.keepWatch() }) {
            // No thread to be had: the next to work tries again.
            state.withLock {
                $0.hasWatch = false
                $0.isWatched = false
            }
        }
        watch.signal()
    }

    /// Looks at the workers twice in the time that counts as stuck, and not at all while nobody works.
    private func keepWatch() {
        let (seconds, attoseconds) = (limits.patience / 2).components
        let pause = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        while !state.withLock({ $0.isClosed }) {
            watch.wait()
            repeat {
                if state.withLock({ $0.isClosed }) { return }
                _ = watch.wait(timeout: .now() + .nanoseconds(pause))
            } while look()
        }
    }

    /// False where nobody works.
    private func look() -> Bool {
        let now = SuspendingClock.now
        var sightings: [ScriptPool.Sighting] = []
        var hired: [Int] = []
        let goesOn = state.withLock { state in
            for (worker, work) in state.working
            where !work.isStuck && work.since.duration(to: now) >= limits.patience {
                state.working[worker]?.isStuck = true
                state.stuck += 1
                sightings.append(state.stuck > limits.stuck ? .exhausted : .stuck(work.lane))
                if let worker = hire(&state) { hired.append(worker) }
            }
            state.isWatched = !state.working.isEmpty && !state.isClosed
            return state.isWatched
        }
        for worker in hired { start(worker) }
        for sighting in sightings {
            onSighting(sighting)
            if case .stuck(let lane) = sighting { lane.onStuck() }
        }
        return goesOn
    }
}
