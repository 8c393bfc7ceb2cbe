import DequeModule
import Dispatch
import HeybotSupport
import Synchronization

/// The workers and the watchdog.
///
/// The threads reference this instead of the pool itself, which would never be deinitialized otherwise.
final class SupervisedWorkerThreads: Sendable {
    struct QueuedScriptJob {
        let job: UnownedJob
        let executor: ScriptTaskExecutor
    }

    private final class WorkerHandle: Sendable {
        let number: Int
        let semaphore = DispatchSemaphore(value: 0)

        init(_ number: Int) { self.number = number }
    }

    private struct RunningJob {
        let executor: ScriptTaskExecutor
        /// On a clock that stops while the machine sleeps.
        let since: SuspendingClock.Instant
        /// When its executor was last called because of the stall; nil if the worker isn't stalled.
        var stalledAt: SuspendingClock.Instant?
    }

    private enum NextAction {
        case work(QueuedScriptJob, wakesWatchdog: Bool)
        case wait
        case end
    }

    private struct State {
        var queue = Deque<QueuedScriptJob>()
        var working: [Int: RunningJob] = [:]
        /// The idle workers.
        ///
        /// The last one is woken first, because its data is likely still in the processor's caches.
        var waiting: [WorkerHandle] = []
        /// The number of workers that have been woken or started, and haven't looked at the queue yet.
        var starting = 0
        var lastWorker = 0
        var live = 0
        var stalled = 0
        var isWatched = false
        var hasWatchdog = false
        var isClosed = false

        mutating func next(for worker: WorkerHandle, at now: SuspendingClock.Instant) -> NextAction {
            if let job = queue.popFirst() {
                working[worker.number] = RunningJob(executor: job.executor, since: now)
                defer { isWatched = true }
                return .work(job, wakesWatchdog: !isWatched)
            }
            if isClosed { return .end }
            waiting.append(worker)
            return .wait
        }

        /// Takes an idle worker to wake, if there are more jobs than workers on their way.
        mutating func popWaitingWorker() -> WorkerHandle? {
            guard queue.count > starting, let worker = waiting.popLast() else { return nil }
            starting += 1
            return worker
        }
    }

    private let limits: ScriptThreadPool.Limits
    private let onWatchdogEvent: @Sendable (ScriptThreadPool.WatchdogEvent) -> Void
    private let state = Mutex(State())
    private let watchdogSemaphore = DispatchSemaphore(value: 0)
    private let idleAction = Mutex<(@Sendable () -> Void)?>(nil)

    init(
        _ limits: ScriptThreadPool.Limits,
        _ onWatchdogEvent: @escaping @Sendable (ScriptThreadPool.WatchdogEvent) -> Void
    ) {
        self.limits = limits
        self.onWatchdogEvent = onWatchdogEvent
    }

    /// Sets the action that the watchdog calls when all workers have become idle; the workers aren't checked meanwhile.
    func onIdle(_ action: @escaping @Sendable () -> Void) { idleAction.withLock { $0 = action } }

    func callIdleAction() { idleAction.withLock { $0 }?() }

    func enqueue(_ job: QueuedScriptJob) {
        let worker = state.withLock {
            $0.queue.append(job)
            return workerToWake(&$0)
        }
        if let worker { wake(worker) }
    }

    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isClosed = true
            state.starting += state.waiting.count
            return state.waiting
        }
        for worker in waiting { worker.semaphore.signal() }
        watchdogSemaphore.signal()
    }

    // MARK: Workers

    private enum WorkerToWake {
        case waiting(WorkerHandle)
        case new(WorkerHandle)
    }

    /// The worker to wake or start, if there are more jobs than workers on their way, and the limit allows it.
    private func workerToWake(_ state: inout State) -> WorkerToWake? {
        if let worker = state.popWaitingWorker() { return .waiting(worker) }
        guard state.queue.count > state.starting, state.live - state.stalled < limits.maxThreads else { return nil }
        state.starting += 1
        state.live += 1
        state.lastWorker += 1
        return .new(WorkerHandle(state.lastWorker))
    }

    private func wake(_ worker: WorkerToWake) {
        switch worker {
        case .waiting(let worker):
            worker.semaphore.signal()
        case .new(let worker):
            if OSThread.start({ CrashReporter.withHandlerStack { self.work(worker) } }) { return }
            // The system can't start a thread. The other workers go on; only without any is the pool exhausted.
            let (none, other): (Bool, WorkerHandle?) = state.withLock {
                $0.starting -= 1
                $0.live -= 1
                // A worker may have become idle meanwhile, because this one was on its way.
                return ($0.live == $0.stalled, $0.popWaitingWorker())
            }
            other?.semaphore.signal()
            if none { onWatchdogEvent(.exhausted) }
        }
    }

    private func work(_ worker: WorkerHandle) {
        var action = arrive(worker)
        while true {
            switch action {
            case .work(let job, let wakesWatchdog):
                CrashReporter.enter(job.executor.origin)
                if wakesWatchdog { wakeWatchdog() }
                job.job.runSynchronously(on: job.executor.asUnownedTaskExecutor())
                job.executor.jobEnded()
                action = finish(worker)
            case .wait:
                worker.semaphore.wait()
                action = arrive(worker)
            case .end:
                return
            }
        }
    }

    private func arrive(_ worker: WorkerHandle) -> NextAction {
        let now = SuspendingClock.now
        return state.withLock {
            $0.starting -= 1
            return $0.next(for: worker, at: now)
        }
    }

    private func finish(_ worker: WorkerHandle) -> NextAction {
        let now = SuspendingClock.now
        let (action, late): (NextAction?, RunningJob?) = state.withLock {
            guard let work = $0.working.removeValue(forKey: worker.number), work.stalledAt != nil else {
                return ($0.next(for: worker, at: now), nil)
            }
            $0.stalled -= 1
            // Its replacement may have made it superfluous.
            if $0.live - $0.stalled <= limits.maxThreads { return (nil, work) }
            $0.live -= 1
            return (.end, work)
        }
        // Before it takes another job, because reporting may take a while.
        if let late { onWatchdogEvent(.recovered(late.executor, after: late.since.duration(to: now))) }
        return action ?? state.withLock { $0.next(for: worker, at: .now) }
    }

    // MARK: Watchdog

    private func wakeWatchdog() {
        let isFirst = state.withLock { state in
            defer { state.hasWatchdog = true }
            return !state.hasWatchdog
        }
        if isFirst, !OSThread.start({ self.runWatchdog() }) {
            // The system can't start a thread: the next worker with a job tries again.
            state.withLock {
                $0.hasWatchdog = false
                $0.isWatched = false
            }
        }
        watchdogSemaphore.signal()
    }

    /// Checks the workers twice within the stall threshold, and sleeps while all are idle.
    private func runWatchdog() {
        let (seconds, attoseconds) = (limits.stallThreshold / 2).components
        let pause = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        while !state.withLock({ $0.isClosed }) {
            watchdogSemaphore.wait()
            repeat {
                if state.withLock({ $0.isClosed }) { return }
                _ = watchdogSemaphore.wait(timeout: .now() + .nanoseconds(pause))
            } while checkWorkers()
            callIdleAction()
        }
    }

    /// Reports and replaces stalled workers.
    ///
    /// As long as one is stalled, its executor is called again each time the threshold has passed: a job that stalled in one piece
    /// of a script's code may come to the next, and stall there.
    ///
    /// - Returns: False if all workers are idle.
    private func checkWorkers() -> Bool {
        let now = SuspendingClock.now
        var events: [ScriptThreadPool.WatchdogEvent] = []
        var stalled: [ScriptTaskExecutor] = []
        var toWake: [WorkerToWake] = []
        let hasWorking = state.withLock { state in
            for (worker, work) in state.working
            where (work.stalledAt ?? work.since).duration(to: now) >= limits.stallThreshold {
                state.working[worker]?.stalledAt = now
                stalled.append(work.executor)
                if work.stalledAt != nil { continue }
                state.stalled += 1
                events.append(state.stalled > limits.maxStalled ? .exhausted : .stalled(work.executor))
                if let worker = workerToWake(&state) { toWake.append(worker) }
            }
            state.isWatched = !state.working.isEmpty && !state.isClosed
            return state.isWatched
        }
        for worker in toWake { wake(worker) }
        for event in events { onWatchdogEvent(event) }
        for executor in stalled { executor.onStalled() }
        return hasWorking
    }
}
