import FoundationEssentials
import HeybotSupport
import Logging
import Synchronization

/// One attempt to fire a timer, for which the robot has the lease.
struct TimerRun: Sendable {
    /// How an attempt went.
    struct Outcome: Sendable {
        let recorded: TimerRecord.Outcome
        /// The error after which the robot gives up; nil if it doesn't.
        var giveUpError: (any Error)?
    }

    /// The waits between two attempts.
    private static let backoff = Backoff(first: .seconds(30), longest: longestWait)
    private static let longestWait = Duration.hours(1)

    let firing: TimerFiring
    let job: RegisteredJob

    private var part: RunningScriptPart { RunningScriptPart(script: job.script, part: "timer \(job.name)") }

    /// A logger whose metadata names the script, the job and the timer.
    func logger(_ robot: Robot) -> Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(job.script)"
        logger[metadataKey: "job"] = "\(job.name)"
        logger[metadataKey: "timer"] = "\(firing.key.id)"
        return logger
    }

    private struct State {
        /// What follows if the handler succeeds; nil until the job has said when the timer fires next.
        var done: TimerRecord.Outcome?
        var isCalled = false
        /// Whether the handler must not be called any more, because the deadline has passed.
        var isOver = false
    }

    /// Calls the job's handler.
    func fire(_ robot: Robot) async -> Outcome {
        let (job, firing) = (job, firing)
        // Its earlier attempts ended with the robot's process.
        let isGivenUp = firing.record.attempts > job.maxAttempts
        let isSkipped = job.missed == .skip && firing.record.attempts == 1 && firing.lateness > .zero
        let state = Mutex(State())
        let outcome = await robot.runner.invoke(part, deadline: job.deadline) {
            let time = try job.nextTime(firing.key, firing.record, max(robot.date, firing.record.date))
            let isCalled = state.withLock { state in
                state.done = .done(next: time)
                state.isCalled = !state.isOver && !isSkipped && !isGivenUp
                return state.isCalled
            }
            if isCalled { try await job.fire(firing, robot) }
        }
        var end = state.withLock { state in
            state.isOver = true
            return state
        }
        if case .done(let next?)? = end.done, next < robot.date { end.done = await doneLate(robot) ?? end.done }
        switch outcome {
        case .ended, .paused:
            if isSkipped { logger(robot).notice("skipped a timer that was missed") }
            if isGivenUp { return giveUp(TimerError.processEnded, end.done, robot) }
            return Outcome(recorded: end.done ?? retry(robot))
        case .cancelled:
            // The robot stops. Another one, or this one when it is back, continues at once.
            let date = firing.record.date
            return Outcome(recorded: end.isCalled ? .failed(retry: date) : .notCalled(retry: date))
        case .failed(let error):
            robot.metrics.error(in: job.script)
            return failed(error, end.done, robot)
        case .expired:
            robot.metrics.timeout(in: job.script)
            if end.isCalled { return failed(TimerError.deadlinePassed, end.done, robot) }
            let wait = Self.backoff.wait(after: 0)
            logger(robot).warning(
                "a timer's deadline passed before its handler began; trying again in \(wait.components.seconds) s")
            return Outcome(recorded: .notCalled(retry: (robot.date + wait.inSeconds).roundedUpToSecond))
        }
    }

    /// Returns what follows with the next time after now, because the handler was still running at the time that was said before.
    ///
    /// - Returns: Nil if the job can't say when that is.
    private func doneLate(_ robot: Robot) async -> TimerRecord.Outcome? {
        let (job, firing) = (job, firing)
        let done = Mutex<TimerRecord.Outcome?>(nil)
        _ = await robot.runner.invoke(part, deadline: job.deadline) {
            let time = try job.nextTime(firing.key, firing.record, robot.date)
            done.withLock { $0 = .done(next: time) }
        }
        return done.withLock { $0 }
    }

    private func failed(_ error: any Error, _ done: TimerRecord.Outcome?, _ robot: Robot) -> Outcome {
        let attempts = firing.record.attempts
        guard attempts < job.maxAttempts else { return giveUp(error, done, robot) }
        let wait = Self.backoff.wait(after: attempts - 1)
        let logger = logger(robot)
        logger.warning("the handler of a timer failed: \(error); trying again in \(wait.components.seconds) s")
        return Outcome(recorded: .failed(retry: (robot.date + wait.inSeconds).roundedUpToSecond))
    }

    /// - Parameter done: What follows; nil if the job couldn't say when the timer fires next, so that it is kept.
    private func giveUp(_ error: any Error, _ done: TimerRecord.Outcome?, _ robot: Robot) -> Outcome {
        let logger = logger(robot)
        logger.error("the handler of a timer failed too often, so the robot gave up: \(error)")
        return Outcome(recorded: done ?? retry(robot), giveUpError: error)
    }

    /// Another attempt after the longest wait.
    private func retry(_ robot: Robot) -> TimerRecord.Outcome {
        .failed(retry: (robot.date + Self.longestWait.inSeconds).roundedUpToSecond)
    }

    /// Tells the script that the robot has given up.
    func giveUp(_ error: any Error, _ robot: Robot) async {
        guard let giveUp = job.giveUp else { return }
        await robot.runner.run(part) { [firing] in try await giveUp(firing, error, robot) }
    }
}

/// Why the handler of a timer failed, if it threw no error.
private enum TimerError: Error, CustomStringConvertible {
    case deadlinePassed
    case processEnded

    var description: String {
        switch self {
        case .deadlinePassed: "its deadline passed"
        case .processEnded: "the robot's process ended while it ran"
        }
    }
}
