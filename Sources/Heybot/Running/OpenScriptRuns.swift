import Synchronization

/// The runs of script code that are under way: their deadlines, and when the room sees the robot writing.
///
/// One timer serves them all: it is set for what is due first, and stays if that run ends. Most runs end long before, so most
/// need no timer of their own.
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
    private let typing = Mutex<(@Sendable (TypingChange, InFlightMessage) -> Bool)?>(nil)

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

    /// Sets what shows in the room of a message that the robot is writing.
    ///
    /// - Parameter action: Returns false if nothing is to be shown for that message.
    func onTyping(_ action: @escaping @Sendable (TypingChange, InFlightMessage) -> Bool) {
        typing.withLock { $0 = action }
    }

    /// Shows in the room of a message what the robot's writing does.
    ///
    /// - Returns: False if nothing is to be shown for that message.
    func showTyping(_ change: TypingChange, _ inbound: InFlightMessage) -> Bool {
        typing.withLock { $0 }?(change, inbound) ?? false
    }

    /// Does at that time what is due for the runs by then: ends those whose deadlines have passed, and shows that others are
    /// writing.
    ///
    /// - Parameter due: When something is due for a run that begins or continues.
    func expect(_ due: Duration) {
        state.withLock { state in
            if let check = state.check, check.due <= due { return }
            scheduleCheck(at: due, &state)
        }
    }

    private func scheduleCheck(at due: Duration, _ state: inout State) {
        if let check = state.check { timers.cancel(check.timer) }
        let timer = timers.after(due - timeSource.now()) { [weak self] in self?.checkRuns() }
        state.check = (due, timer)
    }

    private func checkRuns() {
        let now = timeSource.now()
        let due = state.withLock { state -> [(due: Duration, number: Int, scriptRun: ScriptRun)] in
            var found: [(due: Duration, number: Int, scriptRun: ScriptRun)] = []
            for (number, scriptRun) in state.open.values {
                if let due = scriptRun.due, due <= now { found.append((due, number, scriptRun)) }
            }
            return found
        }
        let inOrder = due.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
        for (_, _, scriptRun) in inOrder {
            scriptRun.expire()
            scriptRun.showTypingIfDue()
        }
        updateTimer()
    }

    /// Sets the timer for what is due first for the runs that are left.
    ///
    /// - Parameter onlyDeadlines: Whether what else is due for them doesn't count.
    func updateTimer(onlyDeadlines: Bool = false) {
        state.withLock { state in
            if let check = state.check.take() { timers.cancel(check.timer) }
            let dues = state.open.values.compactMap { onlyDeadlines ? $0.scriptRun.deadlineDue : $0.scriptRun.due }
            if let due = dues.min() { scheduleCheck(at: due, &state) }
        }
    }
}
