import Logging

/// Runs script code on the script threads, with a deadline for each call.
///
/// Catches, counts and logs failures.
final class ScriptRunner: Sendable {
    let pool: ScriptThreadPool
    let timers: TimerQueue
    let timeSource: TimeSource
    let metrics: RobotMetrics
    /// Counts every message and every call of script code from its beginning to its end.
    let inFlight: InFlightCounter
    let logger: Logger
    private let deadline: Duration
    private let runs: OpenScriptRuns

    /// - Parameter giveUp: Called when too many script threads are stalled.
    init(
        _ limits: Robot.Limits, timers: TimerQueue, timeSource: TimeSource, inFlight: InFlightCounter,
        metrics: RobotMetrics,
        logger: Logger, giveUp: @escaping @Sendable () -> Void
    ) {
        pool = ScriptThreadPool(
            .init(
                maxThreads: max(limits.threads, 1), stallThreshold: limits.stallThreshold,
                maxStalled: limits.maxStalledThreads),
            onWatchdogEvent: { Self.log($0, logger, giveUp) })
        deadline = limits.deadline
        (self.timers, self.timeSource, self.inFlight) = (timers, timeSource, inFlight)
        (self.metrics, self.logger) = (metrics, logger)
        runs = OpenScriptRuns(timers: timers, timeSource: timeSource)
    }

    private static func log(_ event: ScriptThreadPool.WatchdogEvent, _ logger: Logger, _ giveUp: @Sendable () -> Void) {
        switch event {
        case .stalled(let executor):
            logger.error(
                "a script is blocking its thread without making progress; started a replacement thread",
                metadata: ["script": "\(executor.origin.script)", "listener": "\(executor.origin.part)"])
        case .recovered(let executor, let time):
            logger.notice(
                "a script blocked its thread for \(time), and has released it",
                metadata: ["script": "\(executor.origin.script)", "listener": "\(executor.origin.part)"])
        case .exhausted:
            logger.critical(
                "too many threads are blocked by scripts: exiting so that the supervisor restarts the robot")
            giveUp()
        }
    }

    // MARK: One call

    /// Runs `body` in a task of its own.
    ///
    /// - Parameter deadline: The longest time it may take; nil for the robot's limit.
    func invoke(
        _ origin: RunningScriptPart, deadline: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
    ) async -> ScriptRun.Outcome {
        let scriptRun = ScriptRun(deadline: deadline ?? self.deadline, among: runs, timeSource: timeSource)
        guard runs.add(scriptRun) else { return .cancelled }
        return record(await scriptRun.execute(on: ScriptTaskExecutor(pool, origin), body), of: scriptRun, origin.script)
    }

    /// Runs `body` in the caller's task.
    ///
    /// - Parameter onDetach: Called if the body pauses or its deadline passes.
    /// - Returns: The outcome; nil if `onDetach` was called.
    func invoke(
        _ origin: RunningScriptPart, in dispatchTask: DispatchTaskHandle, for inbound: InFlightMessage,
        deadline: Duration?,
        _ body: () async throws -> Void,
        onDetach: @escaping @Sendable (ScriptRun.Outcome) -> Void
    ) async -> ScriptRun.Outcome? {
        let scriptRun = ScriptRun(
            deadline: deadline ?? self.deadline, among: runs, timeSource: timeSource, dispatchTask: dispatchTask,
            inbound: inbound)
        guard runs.add(scriptRun) else { return .cancelled }
        let outcome = await scriptRun.execute(body) { [pool] in
            Task(executorPreference: ScriptTaskExecutor(pool, dispatchTask.origin)) { dispatchTask.cancel() }
        } onDetach: { [self, scriptRun] outcome in
            // The run drops this closure when it calls it or ends.
            onDetach(record(outcome, of: scriptRun, origin.script))
        }
        return outcome.map { record($0, of: scriptRun, origin.script) }
    }

    /// Resumes code that waits for an answer, and waits until it ends or pauses again.
    func resume(_ scriptRun: ScriptRun, of script: String, _ resumption: @Sendable () -> Void) async
        -> ScriptRun.Outcome
    {
        record(await scriptRun.resume(resumption), of: scriptRun, script)
    }

    /// Runs code that isn't a listener's, such as a timer or an event handler, and logs its failure.
    ///
    /// - Returns: False if it failed or was stopped.
    @discardableResult
    func run(_ origin: RunningScriptPart, _ body: @escaping @Sendable () async throws -> Void) async -> Bool {
        inFlight.begin()
        defer { inFlight.end() }
        var logger = logger
        logger[metadataKey: "script"] = "\(origin.script)"
        logger[metadataKey: "listener"] = "\(origin.part)"
        if let message = MessageContext.message { logger[metadataKey: "message"] = "\(message)" }
        switch await invoke(origin, body) {
        case .ended, .paused:
            return true
        case .cancelled:
            return false
        case .failed(let error):
            metrics.error(in: origin.script)
            logger.error("script \(origin.script) failed: \(error)")
            return false
        case .expired:
            metrics.timeout(in: origin.script)
            logger.error("script \(origin.script) timed out: its deadline passed")
            return false
        }
    }

    // MARK: All calls

    /// Sets what shows in the room of a message that the robot is writing; see ``OpenScriptRuns/onTyping(_:)``.
    func onTyping(_ action: @escaping @Sendable (TypingChange, InFlightMessage) -> Bool) { runs.onTyping(action) }

    /// When the next timer is due; nil if there is none.
    ///
    /// Deadlines of calls that have ended don't count, and what shows that the robot is writing doesn't either.
    func nextTimer() -> Duration? {
        runs.updateTimer(onlyDeadlines: true)
        defer { runs.updateTimer() }
        return timers.nextDue
    }

    /// Records that a run has ended, unless it has only paused.
    private func record(
        _ outcome: ScriptRun.Outcome, of scriptRun: ScriptRun, _ script: String
    ) -> ScriptRun.Outcome {
        if case .paused = outcome { return outcome }
        runs.remove(scriptRun)
        metrics.handled(by: script, in: scriptRun.spent)
        return outcome
    }

    /// Cancels all runs, and lets no more begin.
    ///
    /// - Returns: The number of runs that were running, without those that waited for an answer.
    func close() -> Int {
        let open = runs.close()
        let running = open.count { !$0.isPaused }
        for scriptRun in open { scriptRun.cancel() }
        return running
    }
}
