/// The threads that run script code, and nothing else.
///
/// A script that spins blocks one of them, and no other thread.
///
/// A watchdog thread reports a worker that has been running one job for longer than `stallThreshold` (a script's code releases
/// its thread at every `await`), and starts a replacement. If the stalled worker returns, it joins the pool again.
final class ScriptThreadPool: Sendable {
    struct Limits: Sendable {
        /// The greatest number of workers, without the stalled ones.
        ///
        /// Workers start as they are needed.
        var maxThreads: Int
        /// The time on one job after which a worker counts as stalled.
        var stallThreshold: Duration
        /// The number of workers that may be stalled at a time.
        var maxStalled: Int
    }

    /// What the watchdog reports.
    enum WatchdogEvent: Sendable {
        /// A worker makes no progress; a replacement has been started.
        case stalled(ScriptTaskExecutor)
        /// A stalled worker has returned, after this time.
        case recovered(ScriptTaskExecutor, after: Duration)
        /// More workers are stalled than may be: the process should exit.
        case exhausted
    }

    private let threads: SupervisedWorkerThreads

    init(_ limits: Limits, onWatchdogEvent: @escaping @Sendable (WatchdogEvent) -> Void) {
        threads = SupervisedWorkerThreads(limits, onWatchdogEvent)
    }

    /// Executors and queued jobs keep the pool alive: when it is deinitialized, nothing is left to run.
    deinit { threads.close() }

    /// Sets the action that is called, up to half a stall threshold later, when all workers have become idle.
    ///
    /// The action should return soon, because the workers aren't checked meanwhile.
    func onIdle(_ action: @escaping @Sendable () -> Void) { threads.onIdle(action) }

    /// Calls the action on this thread, for a robot whose work is done by other threads.
    func callIdleAction() { threads.callIdleAction() }

    func enqueue(_ job: UnownedJob, on executor: ScriptTaskExecutor) {
        threads.enqueue(SupervisedWorkerThreads.QueuedScriptJob(job: job, executor: executor))
    }
}
