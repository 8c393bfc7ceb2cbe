import FoundationEssentials
import Logging
import Synchronization

/// Finds the timers in the brain that are due, and fires them.
///
/// It keeps no timer in memory: it looks into the brain when the next one is due, and every half minute, because another robot
/// with the same brain may have been killed.
final class DurableTimers: Sendable {
    /// The timers of a job that need the same adapter.
    private struct Lane: Sendable {
        let job: RegisteredJob
        let adapter: String?
        let collection: BrainCollection<TimerRecord>
    }

    private struct State {
        /// Whether the adapters are connected, or have been waited for.
        var isStarted = false
        var isLooking = false
        /// Whether to look again at once.
        var isRequested = false
        /// The names of the timers that are being fired, until that is recorded, by collection.
        var running: [String: Set<String>] = [:]
        /// The collections with timers that are due, but have to wait until one of ``running`` has fired.
        var waiting: Set<String> = []
        var wakeup: (time: Duration, token: TimerQueue.Token)?
        /// Whether the last attempt to look failed.
        var isFailing = false
    }

    /// The longest time between two looks, in seconds.
    private static let longestWait = 30.0
    /// The time after which a call to the brain that failed is repeated, in seconds.
    private static let retryInterval = 5.0
    /// The time by which a lease is longer than the handler's deadline, in seconds: for the differences between the clocks of
    /// robots, and for handlers that take a moment to stop.
    private static let leaseReserve = 60.0
    /// A timer is late if it fires that much later, in seconds.
    private static let punctuality = 60.0
    /// The number of timers of one collection that are fired at a time.
    private static let concurrency = 8

    /// The jobs that scripts handle, by name.
    let jobs: [String: RegisteredJob]
    private let lanes: [Lane]
    /// Identifies this run of the robot as the holder of leases.
    private let holder = String(UInt64.random(in: UInt64.min...UInt64.max), radix: 36)
    private let state = Mutex(State())

    init(_ jobs: [RegisteredJob], adapters: [String]) {
        self.jobs = Dictionary(jobs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let needed: [String?] = [nil] + adapters.map { Optional($0) }
        lanes = jobs.flatMap { job in
            needed.map { adapter in
                Lane(
                    job: job, adapter: adapter, collection: TimerKey.collection(job: job.name, adapter: adapter))
            }
        }
    }

    // MARK: Waking

    /// Begins to fire timers once all adapters are connected, or after half a minute.
    func start(_ robot: Robot, waited: Double = 0) {
        guard !lanes.isEmpty else { return }
        if waited >= Self.longestWait || robot.adapters.allSatisfy(Self.isReady) {
            state.withLock { $0.isStarted = true }
            return look(robot)
        }
        robot.timers.after(.seconds(1)) { [weak robot] in
            if let robot { self.start(robot, waited: waited + 1) }
        }
    }

    private static func isReady(_ adapter: any Adapter) -> Bool {
        switch adapter.status {
        case .up, .ended: true
        case .starting, .down: false
        }
    }

    /// Looks for timers that are due at a date, or earlier if another call asked for that.
    func wake(_ robot: Robot, at date: Date) {
        guard state.withLock({ $0.isStarted }) else { return }
        let wait = Duration.seconds(min(max(date.timeIntervalSince(robot.date), 0.001), Self.longestWait))
        let time = robot.timeSource.now() + wait
        state.withLock { state in
            if let wakeup = state.wakeup {
                if wakeup.time <= time { return }
                robot.timers.cancel(wakeup.token)
            }
            let token = robot.timers.after(wait) { [weak robot] in
                self.state.withLock { $0.wakeup = nil }
                if let robot { self.look(robot) }
            }
            state.wakeup = (time, token)
        }
    }

    /// Looks for timers that are due now.
    private func look(_ robot: Robot) {
        let begins = state.withLock { state in
            defer { state.isLooking = true }
            if state.isLooking { state.isRequested = true }
            return !state.isLooking
        }
        guard begins else { return }
        robot.inFlight.begin()
        Task {
            var next = await self.fireDue(robot)
            while !self.endsLooking() { next = await self.fireDue(robot) }
            self.wake(robot, at: next)
            robot.inFlight.end()
        }
    }

    /// Ends looking, unless another look was requested meanwhile.
    private func endsLooking() -> Bool {
        state.withLock { state in
            state.isLooking = state.isRequested
            state.isRequested = false
            return !state.isLooking
        }
    }

    /// Begins to fire all timers that are due.
    ///
    /// - Returns: When to look again.
    private func fireDue(_ robot: Robot) async -> Date {
        do {
            var next = robot.date + Self.longestWait
            let off = robot.switches.off
            let away = Set(robot.adapters.filter { !Self.isReady($0) }.map(\.name))
            for lane in lanes where !off.contains(lane.job.script) && !robot.isStopping {
                // The adapter would keep a text for a while only, and another robot may be connected.
                if let adapter = lane.adapter, away.contains(adapter) { continue }
                if let time = try await fireDue(lane, robot) { next = min(next, time) }
            }
            state.withLock { $0.isFailing = false }
            return next
        } catch {
            let wasFailing = state.withLock { state in
                defer { state.isFailing = true }
                return state.isFailing
            }
            robot.logger.log(
                level: wasFailing ? .debug : .warning, "can't look for timers that are due: \(error); trying again")
            return robot.date + Self.retryInterval
        }
    }

    /// Begins to fire the timers of a lane that are due, as far as there is room.
    ///
    /// - Returns: When to look again; nil if that has no particular time.
    private func fireDue(_ lane: Lane, _ robot: Robot) async throws -> Date? {
        while !robot.isStopping {
            let found = try await robot.brain.store.firstDue(in: lane.collection.name, limit: Self.concurrency + 1)
            var hasFired = false
            for entry in found {
                guard entry.time <= DueTime.seconds(of: robot.date) else {
                    return Date(timeIntervalSince1970: Double(entry.time))
                }
                guard hasRoom(lane) else { return nil }
                let key = TimerKey(job: lane.job.name, adapter: lane.adapter, name: entry.key)
                do {
                    if try await fire(key, lane.job, robot) { hasFired = true }
                } catch let error as BrainCodingError {
                    robot.logger.error(
                        "can't read the timer \(key.id) of the job \(key.job), so it doesn't fire: \(error)")
                    try await indexAgain(key, robot)
                }
            }
            guard found.count > Self.concurrency else { return nil }
            // Another robot with the same brain is firing them; this one helps in a second.
            if !hasFired { return robot.date + 1 }
        }
        return nil
    }

    /// Whether one more timer of a lane may be fired; if not, the robot looks again as soon as one has fired.
    private func hasRoom(_ lane: Lane) -> Bool {
        let collection = lane.collection.name
        return state.withLock { state in
            let hasRoom = state.running[collection, default: []].count < Self.concurrency
            if !hasRoom { state.waiting.insert(collection) }
            return hasRoom
        }
    }

    // MARK: Firing

    /// Takes the lease of a timer, and begins to fire it, unless it isn't due any more.
    ///
    /// - Returns: Whether it fires.
    private func fire(_ key: TimerKey, _ job: RegisteredJob, _ robot: Robot) async throws -> Bool {
        // It may still be firing, for example if it was scheduled again, or if the computer slept until the lease had ended.
        guard begin(key) else { return false }
        let now = robot.date
        do {
            guard let record = try await takeLease(key, job, now, robot) else {
                try await indexAgain(key, robot)
                end(key, robot)
                return false
            }
            let passed = now.timeIntervalSince(record.date)
            let lateness: Duration = passed > Self.punctuality ? .seconds(passed) : .zero
            let run = TimerRun(firing: TimerFiring(key: key, record: record, lateness: lateness), job: job)
            robot.inFlight.begin()
            Task {
                let outcome = await run.fire(robot)
                await self.settle(run, outcome, robot)
                robot.inFlight.end()
            }
            return true
        } catch {
            // Whatever waits is looked at again in a moment.
            remove(key)
            throw error
        }
    }

    /// Writes a timer as it is, so that the store determines its time again.
    ///
    /// Something that doesn't know the index, such as redis-cli, may have deleted or overwritten it.
    private func indexAgain(_ key: TimerKey, _ robot: Robot) async throws {
        let store = robot.brain.store
        let value = try await store.value(for: key.storeKey)
        _ = try await store.compareAndSet(value, for: key.storeKey, expecting: value)
    }

    /// Marks a timer as being fired.
    ///
    /// - Returns: False if it is being fired already; the robot then looks again afterwards.
    private func begin(_ key: TimerKey) -> Bool {
        let collection = key.collection.name
        return state.withLock { state in
            let begins = state.running[collection, default: []].insert(key.name).inserted
            if !begins { state.waiting.insert(collection) }
            return begins
        }
    }

    /// Makes room for another timer.
    private func end(_ key: TimerKey, _ robot: Robot) {
        remove(key)
        let isAwaited = state.withLock { $0.waiting.remove(key.collection.name) != nil }
        if isAwaited { look(robot) }
    }

    private func remove(_ key: TimerKey) {
        let collection = key.collection.name
        state.withLock { state in
            state.running[collection]?.remove(key.name)
            if state.running[collection]?.isEmpty == true { state.running[collection] = nil }
        }
    }

    /// Takes the lease of a timer.
    ///
    /// - Returns: The timer; nil if it isn't due any more: usually because another robot has taken the lease.
    private func takeLease(
        _ key: TimerKey, _ job: RegisteredJob, _ now: Date, _ robot: Robot
    ) async throws -> TimerRecord? {
        let deadline = job.deadline ?? robot.limits.deadline
        let end = min((now + deadline.inSeconds + Self.leaseReserve).roundedUpToSecond, ScheduleError.latest)
        return try await robot.brain.update(key.collection, key.name) { (timer: inout TimerRecord?) -> TimerRecord? in
            timer?.takeLease(for: holder, at: now, until: end) == true ? timer : nil
        }
    }

    /// Records how a firing went, and makes room for another one.
    ///
    /// If the store is unavailable, this is repeated until it is back. Meanwhile this robot doesn't fire the timer again.
    private func settle(
        _ run: TimerRun, _ outcome: TimerRun.Outcome, _ robot: Robot, isLogged: Bool = false, isRepeated: Bool = false
    ) async {
        let (key, leased) = (run.firing.key, run.firing.record)
        // If an earlier write failed, it may have been made nevertheless.
        var isRecorded = isRepeated
        do {
            let (isSettled, due) = try await robot.brain.update(key.collection, key.name) {
                (timer: inout TimerRecord?) -> (Bool, Date?) in
                (TimerRecord.settle(&timer, leased: leased, outcome.recorded), timer?.due)
            }
            if isSettled { isRecorded = true }
            if let due { wake(robot, at: due) }
        } catch {
            // Another error means that something else has overwritten the entry.
            let isTriedAgain = error is StoreError
            let mayFireAgain = robot.isStopping || robot.date >= leased.due || !isTriedAgain
            if mayFireAgain, !isLogged {
                let logger = run.logger(robot)
                logger.warning("couldn't record that a timer has fired, so it may fire again: \(error)")
            }
            if isTriedAgain {
                return settleLater(run, outcome, robot, isLogged: isLogged || mayFireAgain)
            }
        }
        // A timer that was canceled or replaced meanwhile isn't given up.
        if isRecorded, let error = outcome.giveUpError { await run.giveUp(error, robot) }
        end(key, robot)
    }

    /// Tries again to record how a firing went.
    private func settleLater(_ run: TimerRun, _ outcome: TimerRun.Outcome, _ robot: Robot, isLogged: Bool) {
        robot.timers.after(.seconds(Self.retryInterval)) { [weak robot] in
            guard let robot else { return }
            robot.inFlight.begin()
            Task {
                await self.settle(run, outcome, robot, isLogged: isLogged, isRepeated: true)
                robot.inFlight.end()
            }
        }
    }
}
