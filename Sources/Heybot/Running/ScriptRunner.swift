import Logging
import Synchronization

/// Runs script code on the script threads: each piece until its deadline, its failures caught, counted and logged.
final class ScriptRunner: Sendable {
    private struct State {
        /// What is under way, so that a robot that stops can cancel it.
        var open: [ObjectIdentifier: Invocation] = [:]
        var isClosed = false
    }

    let pool: ScriptPool
    let timers: Timers
    let timeline: Timeline
    let counters: Counters
    /// Counts every message and every piece of script code from its beginning to its end.
    let activity: Activity
    let logger: Logger
    private let deadline: Duration
    private let state = Mutex(State())

    /// - Parameter giveUp: Called when too many threads are held by code that makes no progress.
    init(
        _ limits: Robot.Limits, timers: Timers, timeline: Timeline, activity: Activity, counters: Counters,
        logger: Logger, giveUp: @escaping @Sendable () -> Void
    ) {
        pool = ScriptPool(
            .init(width: max(limits.threads, 1), patience: limits.patience, stuck: limits.stuckThreads),
            onSighting: { Self.tell($0, logger, giveUp) })
        deadline = limits.deadline
        (self.timers, self.timeline, self.activity) = (timers, timeline, activity)
        (self.counters, self.logger) = (counters, logger)
    }

    private static func tell(_ sighting: ScriptPool.Sighting, _ logger: Logger, _ giveUp: @Sendable () -> Void) {
        switch sighting {
        case .stuck(let lane):
            logger.error(
                "a script is blocking its thread and makes no progress; another thread takes its place",
                metadata: ["script": "\(lane.part.script)", "listener": "\(lane.part.part)"])
        case .recovered(let lane, let time):
            logger.notice(
                "a script gave its thread back after \(time)",
                metadata: ["script": "\(lane.part.script)", "listener": "\(lane.part.part)"])
        case .exhausted:
            logger.critical("too many threads are held by scripts that make no progress: ending, to be started anew")
            giveUp()
        }
    }

    // MARK: One piece of code

    /// Runs it in a task of its own.
    ///
    /// - Parameter deadline: How long it may take; nil for the robot's limit.
    func invoke(
        _ part: ScriptPart, deadline: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
    ) async -> Invocation.Outcome {
        let invocation = Invocation(deadline: deadline ?? self.deadline, timers: timers, timeline: timeline)
        guard add(invocation) else { return .cancelled }
        return note(await invocation.run(on: Lane(pool, part), body), of: invocation, part.script)
    }

    /// Runs it in the caller's task.
    ///
    /// - Returns: What came of it; nil if it paused or its deadline passed, which `overtaken` is told.
    func invoke(
        _ part: ScriptPart, in passage: Passage, deadline: Duration?, _ body: () async throws -> Void,
        overtaken: @escaping @Sendable (Invocation.Outcome) -> Void
    ) async -> Invocation.Outcome? {
        let lane = Lane(pool, part)
        let invocation = Invocation(
            deadline: deadline ?? self.deadline, timers: timers, timeline: timeline, passage: passage)
        guard add(invocation) else { return .cancelled }
        let outcome = await invocation.run(body) {
            Task(executorPreference: lane) { passage.cancel() }
        } overtaken: { [weak self, weak invocation] outcome in
            guard let self, let invocation else { return }
            overtaken(note(outcome, of: invocation, part.script))
        }
        return outcome.map { note($0, of: invocation, part.script) }
    }

    /// Lets code go on that has waited for somebody, to its end or its next question.
    func resume(_ invocation: Invocation, of script: String, _ goOn: @Sendable () -> Void) async -> Invocation.Outcome {
        note(await invocation.resume(goOn), of: invocation, script)
    }

    /// Runs code that answers no message; false if it failed or didn't end.
    @discardableResult
    func run(_ part: ScriptPart, _ body: @escaping @Sendable () async throws -> Void) async -> Bool {
        activity.begin()
        defer { activity.end() }
        var logger = logger
        logger[metadataKey: "script"] = "\(part.script)"
        logger[metadataKey: "listener"] = "\(part.part)"
        if let message = Cause.message { logger[metadataKey: "message"] = "\(message)" }
        switch await invoke(part, body) {
        case .ended, .paused:
            return true
        case .cancelled:
            return false
        case .failed(let error):
            counters.error(in: part.script)
            logger.error("it failed: \(error)")
            return false
        case .expired:
            counters.timeout(in: part.script)
            logger.error("it was stopped: its deadline passed")
            return false
        }
    }

    // MARK: All of them

    private func note(
        _ outcome: Invocation.Outcome, of invocation: Invocation, _ script: String
    ) -> Invocation.Outcome {
        if case .paused = outcome { return outcome }
        _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(invocation)) }
        counters.handled(by: script, in: invocation.spent)
        return outcome
    }

    /// False if the robot is stopping and nothing more may begin.
    private func add(_ invocation: Invocation) -> Bool {
        state.withLock {
            if !$0.isClosed { $0.open[ObjectIdentifier(invocation)] = invocation }
            return !$0.isClosed
        }
    }

    /// Cancels all there is and lets nothing begin.
    ///
    /// - Returns: The number of closures that were running; those that wait for somebody aren't counted.
    func close() -> Int {
        let open = state.withLock { state in
            state.isClosed = true
            defer { state.open = [:] }
            return Array(state.open.values)
        }
        let running = open.count { !$0.isPaused }
        for invocation in open { invocation.cancel() }
        return running
    }
}
