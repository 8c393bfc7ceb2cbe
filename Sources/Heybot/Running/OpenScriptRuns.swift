import Synchronization

/// The runs of script code that are under way, and their deadlines.
///
/// One timer serves all deadlines: it is set for the earliest one, and stays if that run ends. Most runs end long before their
/// deadlines, so most need no timer of their own.
final class OpenScriptRuns: Sendable {
    private struct State {
        /// Numbered in the order in which they began.
        var open: [ObjectIdentifier: (number: Int, scriptRun: ScriptRun)] = [:]
        var lastNumber = 0
        /// When the deadlines are checked next; no later than the earliest deadline.
        var check: (due: Duration, timer: TimerQueue.Token)?
        var isClosed = false
    }

    private let timers: TimerQueue
    private let timeSource: TimeSource
    private let state = Mutex(State())

    init(timers: TimerQueue, timeSource: TimeSource) { (self.timers, self.timeSource) = (timers, timeSource) }

    /// Adds a run.
    ///
    /// - Returns: False if the runs are closed, so that nothing may begin any more.
    func add(_ scriptRun: ScriptRun) -> Bool {
        state.withLock {
            guard !$0.isClosed else { return false }
            $0.lastNumber += 1
            $0.open[ObjectIdentifier(scriptRun)] = ($0.lastNumber, scriptRun)
            return true
        }
    }

    /// Removes a run that has ended.
    func remove(_ scriptRun: ScriptRun) {
        _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(scriptRun)) }
    }

    /// Removes all runs, and lets no more begin.
    func close() -> [ScriptRun] {
        state.withLock { state in
            state.isClosed = true
            defer { state.open = [:] }
            return state.open.values.map { $0.scriptRun }
        }
    }

    /// Ends the runs whose deadlines have passed by then, at that time.
    ///
    /// - Parameter due: A deadline of a run that begins or continues.
    func expect(_ due: Duration) {
        state.withLock { state in
            if let check = state.check, check.due <= due { return }
            scheduleCheck(at: due, &state)
        }
    }

    private func scheduleCheck(at due: Duration, _ state: inout State) {
        if let check = state.check { timers.cancel(check.timer) }
        let timer = timers.after(due - timeSource.now()) { [weak self] in self?.checkDeadlines() }
        state.check = (due, timer)
    }

    private func checkDeadlines() {
        let now = timeSource.now()
        let expired = state.withLock { state -> [(due: Duration, number: Int, scriptRun: ScriptRun)] in
            var expired: [(due: Duration, number: Int, scriptRun: ScriptRun)] = []
            for (number, scriptRun) in state.open.values {
                if let due = scriptRun.due, due <= now { expired.append((due, number, scriptRun)) }
            }
            return expired
        }
        let inOrder = expired.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
        for (_, _, scriptRun) in inOrder { scriptRun.expire() }
        updateTimer()
    }

    /// Sets the timer for the earliest deadline of the runs that are left.
    func updateTimer() {
        state.withLock { state in
            if let check = state.check.take() { timers.cancel(check.timer) }
            let dues = state.open.values.compactMap { $0.scriptRun.due }
            if let due = dues.min() { scheduleCheck(at: due, &state) }
        }
    }
}
