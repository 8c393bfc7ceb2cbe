public import FoundationEssentials

extension Robot {
    /// Schedules a timer that fires once at a date, also if the robot is restarted before.
    ///
    /// A date in the past means now. Dates are rounded up to whole seconds.
    ///
    /// - Parameters:
    ///   - job: What the timer does: a script must have registered a handler for the job.
    ///   - payload: The data for the handler, up to 64 KiB of JSON.
    ///   - id: The timer's id, up to 200 bytes without a colon; by default a random one. A timer of the job that has the same id,
    ///     and needs the same adapter, is replaced.
    ///   - adapter: The name of the adapter that the handler sends with, such as `room.id.adapter`: of the robots that share the
    ///     brain, only those with this adapter fire the timer. Nil if any robot can fire it.
    ///   - date: When it fires.
    /// - Returns: The id with which it can be canceled.
    /// - Throws: ``ScheduleError``, ``RobotError`` if there is no such adapter, and the errors of the brain.
    @discardableResult
    public func schedule<Payload>(
        _ job: ScheduledJob<Payload>, _ payload: Payload, id: String? = nil, needing adapter: String? = nil,
        at date: Date
    ) async throws -> String {
        try await schedule(job, payload, id, adapter) { _, _ in (date, nil) }
    }

    /// Schedules a timer that fires once, after a delay.
    ///
    /// The other parameters are those of ``schedule(_:_:id:needing:at:)``.
    @discardableResult
    public func schedule<Payload>(
        _ job: ScheduledJob<Payload>, _ payload: Payload, id: String? = nil, needing adapter: String? = nil,
        after delay: Duration
    ) async throws -> String {
        try await schedule(job, payload, id, adapter) { _, now in (now + delay.inSeconds, nil) }
    }

    /// Schedules a timer that fires repeatedly: at a date, by default after one interval, and then after each further interval.
    ///
    /// The interval is a whole number of seconds, from one second to 100 years. Firings that would overlap, or that were missed,
    /// are left out. The other parameters are those of ``schedule(_:_:id:needing:at:)``.
    @discardableResult
    public func schedule<Payload>(
        _ job: ScheduledJob<Payload>, _ payload: Payload, id: String? = nil, needing adapter: String? = nil,
        every interval: Duration, from first: Date? = nil
    ) async throws -> String {
        let seconds = interval.components.seconds
        guard interval == .seconds(seconds), 1...ScheduleError.longestInterval ~= seconds else {
            throw ScheduleError.invalidInterval(job: job.name)
        }
        return try await schedule(job, payload, id, adapter) { _, now in
            (first ?? now + Double(seconds), Int(seconds))
        }
    }

    /// Schedules a timer that fires at the times that the job's `next` closure returns: for example on each weekday.
    ///
    /// The other parameters are those of ``schedule(_:_:id:needing:at:)``.
    @discardableResult
    public func schedule<Payload>(
        _ job: ScheduledJob<Payload>, _ payload: Payload, id: String? = nil, needing adapter: String? = nil
    ) async throws -> String {
        try await schedule(job, payload, id, adapter) { registered, now in
            let key = TimerKey(job: job.name, adapter: adapter, name: id ?? "")
            let encoded = try Self.encode(payload, key)
            guard let first = try registered.nextTime(key, TimerRecord(date: now, payload: encoded), now) else {
                throw ScheduleError.invalidTime(job: job.name)
            }
            return (first, nil)
        }
    }

    /// Returns a timer; nil if there is none with the id.
    public func scheduledTimer<Payload>(
        _ id: String, of job: ScheduledJob<Payload>
    ) async throws -> ScheduledTimer<Payload>? {
        let key = TimerKey(job: job.name, id: id)
        return try await brain.recall(key.collection, key.name).map { try ScheduledTimer(key, $0) }
    }

    /// Returns the timers of a job that this robot can fire, in no particular order, read a page at a time.
    public func scheduledTimers<Payload>(of job: ScheduledJob<Payload>) -> ScheduledTimers<Payload> {
        ScheduledTimers(brain: brain, job: job.name, adapters: [nil] + adapters.map { Optional($0.name) })
    }

    /// Cancels a timer.
    ///
    /// A handler that is running isn't interrupted.
    ///
    /// - Returns: False if there is no timer with the id.
    @discardableResult
    public func cancelTimer<Payload>(_ id: String, of job: ScheduledJob<Payload>) async throws -> Bool {
        let key = TimerKey(job: job.name, id: id)
        return try await brain.update(key.collection, key.name) { (record: inout TimerRecord?) -> Bool in
            let exists = record != nil
            record = nil
            return exists
        }
    }

    /// - Parameter time: Returns the first time and the interval in seconds, for the job's handler and the current date.
    private func schedule<Payload>(
        _ job: ScheduledJob<Payload>, _ payload: Payload, _ id: String?, _ adapter: String?,
        _ time: (RegisteredJob, Date) throws -> (first: Date, interval: Int?)
    ) async throws -> String {
        let name = job.name
        guard let registered = durableTimers.jobs[name] else { throw ScheduleError.unknownJob(name) }
        let id = id ?? String(UInt64.random(in: UInt64.min...UInt64.max), radix: 36)
        guard 1...200 ~= id.utf8.count, !id.contains(":") else { throw ScheduleError.invalidID(job: name) }
        if let adapter, !adapters.contains(where: { $0.name == adapter }) {
            throw RobotError.unknownAdapter(adapter, known: adapters.map(\.name))
        }
        let key = TimerKey(job: name, adapter: adapter, name: id)
        let now = date
        let (first, interval) = try time(registered, now)
        let whole = max(first, now).roundedUpToSecond
        guard whole <= ScheduleError.latest else { throw ScheduleError.invalidTime(job: name) }
        let record = TimerRecord(date: whole, interval: interval, payload: try Self.encode(payload, key))
        try await brain.remember(key.collection, id, record)
        durableTimers.wake(self, at: whole)
        return key.id
    }

    private static func encode(_ payload: some Encodable, _ key: TimerKey) throws -> String {
        let json = try BrainCoder.encode(payload, key.storeKey)
        guard json.count <= ScheduleError.longestPayload else {
            throw ScheduleError.payloadTooLong(job: key.job, bytes: json.count)
        }
        return String(decoding: json, as: UTF8.self)
    }
}

/// Why a timer can't be scheduled.
public enum ScheduleError: Error, Hashable, CustomStringConvertible {
    /// No script has registered a handler for the job.
    case unknownJob(String)
    /// The id is empty, too long, or has a colon.
    case invalidID(job: String)
    /// The interval isn't a whole number of seconds, from one second to 100 years.
    case invalidInterval(job: String)
    /// The time is after the year 9999, or the job's `next` closure returned no later time.
    case invalidTime(job: String)
    /// The payload's JSON is longer than 64 KiB.
    case payloadTooLong(job: String, bytes: Int)

    static let longestInterval: Int64 = 100 * 366 * 86_400
    static let longestPayload = 64 << 10
    /// The last second of the year 9999, after which dates have no place in the brain.
    static let latest = Date(timeIntervalSince1970: 253_402_300_799)

    public var description: String {
        switch self {
        case .unknownJob(let job):
            "can't schedule a timer of the job \(job): no script handles it; register a handler with robot.on"
        case .invalidID(let job):
            "can't schedule a timer of the job \(job): its id must have 1 to 200 bytes, and no colon"
        case .invalidInterval(let job):
            """
            can't schedule a timer of the job \(job): its interval must be a whole number of seconds, \
            from one second to 100 years
            """
        case .invalidTime(let job):
            "a timer of the job \(job) has no valid next time: it must be in the future, and before the year 10000"
        case .payloadTooLong(let job, let bytes):
            """
            can't schedule a timer of the job \(job): its payload has \(bytes) bytes of JSON; \
            the maximum is \(Self.longestPayload)
            """
        }
    }
}
