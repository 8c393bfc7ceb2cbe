public import FoundationEssentials

/// What a script does when the timers of a job fire.
struct RegisteredJob: Sendable {
    typealias GiveUp = @Sendable (TimerFiring, any Error, Robot) async throws -> Void

    let script: String
    let name: String
    let missed: MissedTimerPolicy
    let maxAttempts: Int
    let deadline: Duration?
    /// Returns the first time after another at which the timer fires; nil if it doesn't fire any more.
    let nextTime: @Sendable (TimerKey, TimerRecord, Date) throws -> Date?
    let fire: @Sendable (TimerFiring, Robot) async throws -> Void
    let giveUp: GiveUp?
}

/// A timer that a robot fires.
struct TimerFiring: Hashable, Sendable {
    let key: TimerKey
    /// The timer as it was when the robot took the lease.
    let record: TimerRecord
    /// How late it fires; zero if it fires on time.
    let lateness: Duration
}

extension RobotBuilder {
    /// Runs when a timer of a job fires, as scheduled by ``Robot/schedule(_:_:id:needing:at:)``.
    ///
    /// Timers are kept in the brain, so they survive a restart. Of several robots that share the brain, one fires each timer; it
    /// may fire again if the robot's process ends while the handler runs, and in the other cases that <doc:TimersAndSchedules>
    /// names. A handler that throws an error is called again, for the first time after 30 seconds, and then after twice the wait
    /// each time, up to an hour.
    ///
    /// - Parameters:
    ///   - job: The job; only one handler can be registered for it.
    ///   - missed: What becomes of a timer that is more than a minute late, for example because no robot was running.
    ///   - attempts: How often the handler is called for one time before the robot gives up, and logs that.
    ///   - deadline: The handler's deadline; by default the robot's.
    ///   - next: Returns the first time after a date at which a timer with this payload fires; nil if it doesn't fire any more.
    ///     It must be fast. Timers with a fixed interval don't need it.
    ///   - gaveUp: Runs when the robot has given up: with the timer, and the error of the last attempt.
    ///   - handler: The closure that handles the timer. It may run for several timers at once.
    public mutating func on<Payload>(
        _ job: ScheduledJob<Payload>, missed: MissedTimerPolicy = .fireLate, attempts: Int = 6,
        deadline: Duration? = nil, next: (@Sendable (Payload, Date) throws -> Date?)? = nil,
        gaveUp: (@Sendable (ScheduledTimer<Payload>, any Error, Robot) async throws -> Void)? = nil,
        _ handler: @escaping @Sendable (ScheduledTimer<Payload>, Robot) async throws -> Void
    ) {
        let name = job.name
        if jobs.contains(where: { $0.name == name }) {
            problems.append("two handlers are registered for the job \(name): job names must be unique")
        }
        if name.isEmpty || name.utf8.count > 200 || name.contains(":") {
            problems.append("invalid job name \"\(name)\": it must have 1 to 200 bytes, and no colon")
        }
        var giveUp: RegisteredJob.GiveUp?
        if let gaveUp {
            giveUp = { firing, error, robot in try await gaveUp(ScheduledTimer(firing), error, robot) }
        }
        jobs.append(
            RegisteredJob(
                script: script, name: name, missed: missed, maxAttempts: max(attempts, 1), deadline: deadline,
                nextTime: { key, record, date in
                    if let time = record.nextTime(after: date) { return time }
                    guard let next, let time = try next(ScheduledTimer<Payload>(key, record).payload, date) else {
                        return nil
                    }
                    let whole = time.roundedUpToSecond
                    guard whole > date, whole <= ScheduleError.latest else {
                        throw ScheduleError.invalidTime(job: name)
                    }
                    return whole
                },
                fire: { firing, robot in try await handler(ScheduledTimer(firing), robot) },
                giveUp: giveUp))
    }
}

extension ScheduledTimer {
    init(_ firing: TimerFiring) throws {
        try self.init(firing.key, firing.record, lateness: firing.lateness)
    }
}
