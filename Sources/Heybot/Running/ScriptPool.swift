import DequeModule
import Dispatch
import HeybotSupport
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

    private final class Worker: Sendable {
        let number: Int
        let bell = DispatchSemaphore(value: 0)

        init(_ number: Int) { self.number = number }
    }

    private struct Work {
        let lane: Lane
        /// On a clock that stands still while the machine sleeps, since then nobody makes progress.
        let since: SuspendingClock.Instant
        var isStuck = false
    }

    private enum Step {
        case work(Job, wakesWatch: Bool)
        case wait
        case end
    }

    private struct State {
        var queue = Deque<Job>()
        var working: [Int: Work] = [:]
        /// Those with nothing to do; the last is called first, since what it needs is still in the processor's caches.
        var waiting: [Worker] = []
        /// How many have been called, or started, and haven't looked at the queue yet.
        var coming = 0
        var lastWorker = 0
        var live = 0
        var stuck = 0
        var isWatched = false
        var hasWatch = false
        var isClosed = false

        mutating func next(for worker: Worker, at now: SuspendingClock.Instant) -> Step {
            if let job = queue.popFirst() {
                working[worker.number] = Work(lane: job.lane, since: now)
                defer { isWatched = true }
                return .work(job, wakesWatch: !isWatched)
            }
            if isClosed { return .end }
            waiting.append(worker)
            return .wait
        }

        /// Counts in one that waits, if there is more to do than workers that come.
        mutating func callWaiting() -> Worker? {
            guard queue.count > coming, let worker = waiting.popLast() else { return nil }
            coming += 1
            return worker
        }
    }

    private let limits: ScriptPool.Limits
    private let onSighting: @Sendable (ScriptPool.Sighting) -> Void
    private let state = Mutex(State())
    private let watch = DispatchSemaphore(value: 0)

    init(_ limits: ScriptPool.Limits, _ onSighting: @escaping @Sendable (ScriptPool.Sighting) -> Void) {
        self.limits = limits
        self.onSighting = onSighting
    }

    func enqueue(_ job: Job) {
        let help = state.withLock {
            $0.queue.append(job)
            return call(&$0)
        }
        if let help { fetch(help) }
    }

    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isClosed = true
            state.coming += state.waiting.count
            return state.waiting
        }
        for worker in waiting { worker.bell.signal() }
        watch.signal()
    }

    // MARK: Workers

    private enum Help {
        case waiting(Worker)
        case new(Worker)
    }

    /// Counts in another worker if there is more to do than workers that come, and room for one.
    private func call(_ state: inout State) -> Help? {
        if let worker = state.callWaiting() { return .waiting(worker) }
        guard state.queue.count > state.coming, state.live - state.stuck < limits.width else { return nil }
        state.coming += 1
        state.live += 1
        state.lastWorker += 1
        return .new(Worker(state.lastWorker))
    }

    private func fetch(_ help: Help) {
        switch help {
        case .waiting(let worker):
            worker.bell.signal()
        case .new(let worker):
            if OSThread.start({ CrashContext.withHandlerStack { self.work(worker) } }) { return }
            // The workers there are will see to the queue; only without any is there nobody left.
            let (none, other): (Bool, Worker?) = state.withLock {
                $0.coming -= 1
                $0.live -= 1
                // One may have gone to rest since, for this one was to come.
                return ($0.live == $0.stuck, $0.callWaiting())
            }
            other?.bell.signal()
            if none { onSighting(.exhausted) }
        }
    }

    private func work(_ worker: Worker) {
        var step = arrive(worker)
        while true {
            switch step {
            case .work(let job, let wakesWatch):
                CrashContext.enter(job.lane.part)
                if wakesWatch { wakeWatch() }
                job.job.runSynchronously(on: job.lane.asUnownedTaskExecutor())
                job.lane.jobEnded()
                step = finish(worker)
            case .wait:
                worker.bell.wait()
                step = arrive(worker)
            case .end:
                return
            }
        }
    }

    private func arrive(_ worker: Worker) -> Step {
        let now = SuspendingClock.now
        return state.withLock {
            $0.coming -= 1
            return $0.next(for: worker, at: now)
        }
    }

    private func finish(_ worker: Worker) -> Step {
        let now = SuspendingClock.now
        let (step, late): (Step?, Work?) = state.withLock {
            guard let work = $0.working.removeValue(forKey: worker.number), work.isStuck else {
                return ($0.next(for: worker, at: now), nil)
            }
            $0.stuck -= 1
            // If it was replaced, it may not be needed any more.
            if $0.live - $0.stuck <= limits.width { return (nil, work) }
            $0.live -= 1
            return (.end, work)
        }
        // Before it takes on anything else: telling may take its time.
        if let late { onSighting(.recovered(late.lane, after: late.since.duration(to: now))) }
        return step ?? state.withLock { $0.next(for: worker, at: .now) }
    }

    // MARK: The watch

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

    /// False if nobody works.
    private func look() -> Bool {
        let now = SuspendingClock.now
        var sightings: [ScriptPool.Sighting] = []
        var called: [Help] = []
        let goesOn = state.withLock { state in
            for (worker, work) in state.working
            where !work.isStuck && work.since.duration(to: now) >= limits.patience {
                state.working[worker]?.isStuck = true
                state.stuck += 1
                sightings.append(state.stuck > limits.stuck ? .exhausted : .stuck(work.lane))
                if let help = call(&state) { called.append(help) }
            }
            state.isWatched = !state.working.isEmpty && !state.isClosed
            return state.isWatched
        }
        for help in called { fetch(help) }
        for sighting in sightings {
            onSighting(sighting)
            if case .stuck(let lane) = sighting { lane.onStuck() }
        }
        return goesOn
    }
}
