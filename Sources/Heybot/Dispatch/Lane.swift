/// A way onto the script threads that knows what it carries, so that a stuck thread can be named.
final class Lane: TaskExecutor {
    private let pool: ScriptPool
    private let current: @Sendable () -> ScriptPart
    /// Whose task runs on it; nil for a task that nobody waits for in turn.
    private let passage: Passage?
    /// Called when a worker on this lane is taken for stuck.
    let onStuck: @Sendable () -> Void

    init(_ pool: ScriptPool, part: @escaping @Sendable () -> ScriptPart, onStuck: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        current = part
        passage = nil
        self.onStuck = onStuck
    }

    init(_ pool: ScriptPool, _ passage: Passage, onStuck: @escaping @Sendable () -> Void) {
        self.pool = pool
        current = { passage.part }
        self.passage = passage
        self.onStuck = onStuck
    }

    convenience init(_ pool: ScriptPool, _ part: ScriptPart) {
        var part = part
        if part.message == nil { part.message = Cause.message }
        self.init(pool, part: { [part] in part })
    }

    /// What is being done on it just now.
    var part: ScriptPart { current() }

    func enqueue(_ job: consuming ExecutorJob) {
        passage?.jobBegins()
        pool.enqueue(UnownedJob(job), on: self)
    }

    /// A job that was enqueued on it has run.
    func jobEnded() { passage?.jobEnded() }
}
