/// The task executor of a script's code.
///
/// It runs jobs on the script threads, and identifies the script if a thread stalls.
final class ScriptTaskExecutor: TaskExecutor {
    private let pool: ScriptThreadPool
    private let current: @Sendable () -> RunningScriptPart
    /// The dispatch task that runs on it, if any.
    private let dispatchTask: DispatchTaskHandle?
    /// Called when a job has ended: the task is suspended, or has ended.
    private let onJobEnded: (@Sendable () -> Void)?
    /// Called when a thread that runs a job of this executor stalls, and again each time the stall threshold has passed.
    let onStalled: @Sendable () -> Void

    init(
        _ pool: ScriptThreadPool, origin: @escaping @Sendable () -> RunningScriptPart,
        onStalled: @escaping @Sendable () -> Void = {}
    ) {
        self.pool = pool
        current = origin
        dispatchTask = nil
        onJobEnded = nil
        self.onStalled = onStalled
    }

    init(
        _ pool: ScriptThreadPool, _ dispatchTask: DispatchTaskHandle, onJobEnded: (@Sendable () -> Void)?,
        onStalled: @escaping @Sendable () -> Void
    ) {
        self.pool = pool
        current = { dispatchTask.origin }
        self.dispatchTask = dispatchTask
        self.onJobEnded = onJobEnded
        self.onStalled = onStalled
    }

    convenience init(_ pool: ScriptThreadPool, _ origin: RunningScriptPart) {
        var origin = origin
        if origin.message == nil { origin.message = MessageContext.message }
        self.init(pool, origin: { [origin] in origin })
    }

    /// The code that is running on it.
    var origin: RunningScriptPart { current() }

    func enqueue(_ job: consuming ExecutorJob) {
        dispatchTask?.jobBegins()
        pool.enqueue(UnownedJob(job), on: self)
    }

    /// Called when a job that was enqueued on it has run.
    func jobEnded() {
        dispatchTask?.jobEnded()
        onJobEnded?()
    }
}
