import FoundationEssentials
package import GatewayLink
package import Heybot
import HeybotSupport
package import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the workers of a gateway: starts them, passes the messages of the gateway's robot to them, and has its adapters carry out
/// what they want.
package final class GatewayDriver: Sendable {
    /// A worker's process.
    struct Connection {
        /// The connection.
        let link: LinkConnection
        /// Kills the process; nil until it has started.
        var kill: (@Sendable () -> Void)?
        /// Whether it has to be killed as soon as it has started.
        var isKilled = false
    }

    /// What the lock protects.
    struct State {
        /// What is known of the workers.
        var session: GatewaySession
        /// The robot, while it runs.
        weak var robot: Robot?
        /// The workers' processes, by generation.
        var connections: [Int: Connection] = [:]
        /// The messages that aren't done, by number.
        var messages: [Int: ForwardedMessage] = [:]
        /// The callers that wait until there is room for messages.
        var waiting: [OneShotPromise<Void>] = []
        /// When the facts of adapters were read last.
        var factsTime: Duration = .zero
        /// The numbers of the facts that were read last, and of those that the workers have.
        var lastFacts = 0
        var sentFacts = 0
        /// Whether the adapters' queues are to be looked at soon.
        var looksAtQueues = false
        /// The questions to workers, by number.
        var questions: [Int: OneShotPromise<WorkerFrame?>] = [:]
        /// The number of the last question.
        var lastQuestion = 0
        /// When the session is to be called next, and the timer that does so.
        var tick: (due: Duration, token: TimerQueue.Token)?
        /// What is to be done when the lock is released: lines of the log, links to write to, and other work, in order.
        var lines: [(Logger.Level, String, script: String?)] = []
        var links: [LinkConnection] = []
        var work: [@Sendable () -> Void] = []
        /// Whether a worker has ever been ready, or there will be none.
        var hasStarted = false
        /// Waits until the robot is asked to stop.
        var stopping: Task<Void, Never>?

        /// Tells the workers facts of adapters, unless they have newer ones.
        mutating func tell(_ facts: PresentFacts?) -> [GatewayAction] {
            guard let facts, facts.number > sentFacts else { return [] }
            sentFacts = facts.number
            return session.adaptersChanged(facts.adapters)
        }
    }

    private let launcher: any WorkerLauncher
    private let takeCrash: @Sendable (_ process: Int) -> WorkerCrash?
    private let metrics: @Sendable () -> String?
    private let logger: Logger
    /// The time of its deadlines.
    let timeSource: TimeSource
    /// Its timers.
    let timers: TimerQueue
    /// The state.
    let state: Mutex<State>
    private let started = OneShotPromise<Void>()
    private let stopped = OneShotPromise<Int?>()
    /// Counts the driver until all workers have ended.
    private let running = InFlightCounter()

    /// Creates a driver without workers.
    ///
    /// - Parameters:
    ///   - launcher: What runs the workers.
    ///   - robotLimits: The limits of the workers' robots.
    ///   - metrics: Returns the gateway's metrics in the text format of Prometheus; nil if it keeps none.
    ///   - takeCrash: Returns the crash that a worker's process has recorded, once.
    package init(
        _ launcher: any WorkerLauncher, logger: Logger, limits robotLimits: Robot.Limits = Robot.Limits(),
        metrics: @escaping @Sendable () -> String? = { nil },
        takeCrash: @escaping @Sendable (_ process: Int) -> WorkerCrash? = { _ in nil }
    ) {
        (self.launcher, self.logger) = (launcher, logger)
        (self.metrics, self.takeCrash) = (metrics, takeCrash)
        let timeSource = TimeSource(ContinuousClock(), date: { .now })
        (self.timeSource, timers) = (timeSource, TimerQueue(timeSource))
        var limits = GatewaySession.Limits()
        // A worker's robot cancels what still runs after this time, which takes a moment.
        limits.stopTime = robotLimits.shutdownGracePeriod + .seconds(1)
        limits.leaveTime = limits.stopTime + robotLimits.disconnectTimeout
        state = Mutex(State(session: GatewaySession([], limits: limits)))
        running.begin()
    }

    /// The script of the gateway's robot, which passes everything on.
    package var script: any Script { GatewayScript(self) }

    /// The exit status of the first worker if it couldn't start, so that the gateway ends; nil otherwise.
    package var failure: Int? { stopped.fulfilledValue ?? nil }

    /// Replaces the worker by one with the present settings, scripts and program.
    package func swap() { change { [timeSource] in $0.session.swap(at: timeSource.now()) } }

    /// The number of workers that were started.
    package var startedWorkers: Int { state.withLock { $0.session.startedWorkers } }

    /// The number of messages that no worker has.
    package var waitingMessages: Int { state.withLock { $0.session.waitingMessages } }

    // MARK: The robot

    /// The gateway's robot runs: starts the first worker, and waits until it is ready, or can't start.
    func start(for robot: Robot) async {
        let facts = robot.adapters.map { AdapterFacts($0) }
        change { [timeSource] state in
            state.robot = robot
            let changed = state.session.adaptersChanged(facts)
            return changed + state.session.start(at: timeSource.now())
        }
        watch(robot.adapters)
        let stopping = Task { [weak self, started] in
            await robot.waitUntilStopping()
            // A robot that is stopped meanwhile doesn't wait until a worker has started.
            started.fulfill(())
            if !Task.isCancelled { self?.prepareToStop() }
        }
        state.withLock { $0.stopping = stopping }
        await started.value()
        if failure != nil { robot.stop() }
    }

    private func prepareToStop() {
        change { [timeSource] in $0.session.prepareToStop(at: timeSource.now()) }
    }

    /// The gateway's robot has handled its messages: lets the workers finish and end.
    ///
    /// Returns early if the task is canceled.
    func finish() async {
        change { [timeSource] state in
            for waiting in state.waiting { waiting.fulfill(()) }
            for question in state.questions.values { question.fulfill(nil) }
            (state.waiting, state.questions) = ([], [:])
            return state.session.stop(at: timeSource.now())
        }
        await running.waitUntilIdle()
    }

    /// The gateway's robot stops.
    func stop() async {
        await finish()
        let stopping = state.withLock { $0.stopping }
        stopping?.cancel()
        timers.close()
    }

    /// Passes messages on.
    ///
    /// - Returns: What the next messages have to wait for; nil unless too many wait.
    func forward(_ messages: [ForwardedMessage]) -> OneShotPromise<Void>? {
        let facts = presentFacts(ifOlderThan: Self.longestAge)
        let now = timeSource.now()
        return changeWithResult { state -> ([GatewayAction], OneShotPromise<Void>?) in
            var actions = state.tell(facts)
            for message in messages {
                let (number, sent) = state.session.heard(message.message, at: now)
                state.messages[number] = message
                actions += sent
            }
            guard state.session.isFull else { return (actions, nil) }
            let promise = OneShotPromise<Void>()
            state.waiting.append(promise)
            return (actions, promise)
        }
    }

    // MARK: Actions

    /// Changes the state, as ``changeWithResult(_:)`` does.
    func change(_ change: (inout State) -> [GatewayAction]) {
        changeWithResult { state -> ([GatewayAction], Void) in (change(&state), ()) }
    }

    /// Changes the state, and carries out what the session wants; what may block is done without the lock.
    func changeWithResult<Result: Sendable>(
        _ change: (inout State) -> ([GatewayAction], Result)
    ) -> Result {
        let (result, lines, links, work) = state.withLock { state in
            let (actions, result) = change(&state)
            for action in actions { carryOut(action, &state) }
            schedule(&state)
            if !state.hasStarted, state.session.currentWorker != nil {
                state.hasStarted = true
                started.fulfill(())
            }
            defer { (state.lines, state.links, state.work) = ([], [], []) }
            return (result, state.lines, state.links, state.work)
        }
        for link in links { link.write() }
        for job in work { job() }
        for (level, text, script) in lines {
            logger.log(level: level, "\(text)", metadata: script.map { ["script": "\($0)"] })
        }
        return result
    }

    private func carryOut(_ action: GatewayAction, _ state: inout State) {
        switch action {
        case .start(let generation):
            state.work.append { _ = Task.detached { await self.run(generation) } }
        case .send(let frame, let generation):
            send(frame, to: generation, &state)
        case .kill(let generation):
            state.connections[generation]?.isKilled = true
            if let kill = state.connections[generation]?.kill { state.work.append(kill) }
        case .perform(let call, let token):
            guard let robot = state.robot else { return }
            // What an observer's code sends isn't the message's answer.
            let message = call.observed == nil ? call.number.flatMap { state.messages[$0]?.message } : nil
            state.work.append {
                if let token {
                    self.perform(call, token, robot, message)
                } else {
                    call.performAtOnce(with: robot)
                }
            }
        case .finish(let number):
            if let message = state.messages.removeValue(forKey: number) { state.work.append { message.end() } }
        case .tell(let envelope, let text):
            guard let robot = state.robot else { return }
            state.work.append { _ = Task { try? await robot.deliver(.reply(text), to: envelope) } }
        case .tellAdmins(let text):
            guard let robot = state.robot else { return }
            state.work.append { _ = Task { await robot.tellAdmins(text) } }
        case .answer(let number, let frame): state.questions.removeValue(forKey: number)?.fulfill(frame)
        case .resume:
            for waiting in state.waiting { waiting.fulfill(()) }
            state.waiting = []
        case .log(let level, let text, let script): state.lines.append((level, text, script: script))
        case .stopRobot:
            guard let robot = state.robot else { return }
            state.work.append { robot.stop() }
        case .stopped(let status):
            if stopped.fulfilledValue == nil { running.end() }
            stopped.fulfill(status)
            started.fulfill(())
        }
    }

    private func perform(_ call: AdapterCall, _ token: Int, _ robot: Robot, _ message: Message?) {
        // On this thread, until it waits for something.
        Task.immediately { [self] in
            let outcome: CallOutcome
            if case .metrics = call.operation {
                outcome = CallOutcome(texts: metrics().map { [$0] } ?? [])
            } else {
                let observer: String? = call.observed == nil ? nil : call.observer ?? ""
                outcome = await MessageContext.withCause(call.observed ?? message?.id, observer: observer) {
                    await call.perform(with: robot, for: message)
                }
            }
            // So that what the closure does next knows of it.
            if case .deliver = call.operation { tellQueues() }
            change { $0.session.performed(token, outcome) }
        }
    }

    /// Adds a frame to a worker's connection.
    private func send(_ frame: GatewayFrame, to generation: Int, _ state: inout State) {
        guard let link = state.connections[generation]?.link else { return }
        do {
            let bytes = try LinkCoder.encode(frame)
            if bytes.isTooLong { return refuse(frame, to: generation, "it is too long", &state) }
            link.add(bytes)
            state.links.append(link)
        } catch {
            refuse(frame, to: generation, "\(error)", &state)
        }
    }

    /// Goes on without a frame that can't be sent.
    private func refuse(_ frame: GatewayFrame, to generation: Int, _ reason: String, _ state: inout State) {
        switch frame {
        case .result(let call, let outcome) where outcome.failure == nil:
            let failure = CallOutcome.Failure(reason: "the adapter's answer can't be passed on: \(reason)")
            send(.result(call: call, CallOutcome(failure: failure)), to: generation, &state)
        case .message(let message):
            state.lines.append((.error, "a message can't be passed to a worker: \(reason)", script: nil))
            for action in state.session.refused(message.number) { carryOut(action, &state) }
        default: state.lines.append((.error, "a frame can't be passed to a worker: \(reason)", script: nil))
        }
    }

    /// Sees to it that the session is called when something is due.
    private func schedule(_ state: inout State) {
        guard let due = state.session.nextTick else { return }
        if let tick = state.tick {
            if tick.due <= due { return }
            timers.cancel(tick.token)
        }
        let token = timers.after(due - timeSource.now()) { [weak self] in
            guard let self else { return }
            Task { [self] in tick() }
        }
        state.tick = (due: due, token: token)
    }

    private func tick() {
        change { [timeSource] state in
            state.tick = nil
            return state.session.tick(at: timeSource.now())
        }
    }

    // MARK: Workers

    /// Runs a worker until it has ended.
    private func run(_ generation: Int) async {
        var end: WorkerEnd
        if let (own, other) = LinkConnection.pair() {
            let link = LinkConnection(own)
            state.withLock { $0.connections[generation] = Connection(link: link) }
            do {
                end = try await launcher.run(other, generation: generation) { kill in
                    await self.serve(link, of: generation, kill)
                }
            } catch {
                end = WorkerEnd("it can't be started: \(error)")
            }
            link.close()
        } else {
            end = WorkerEnd("there is no socket: \(String(cString: strerror(errno)))")
        }
        if end.status == nil, let process = end.process { end.crash = takeCrash(process) }
        let finished = end
        change { [timeSource] state in
            state.connections[generation] = nil
            return state.session.ended(
                generation, finished, at: timeSource.now(), chance: Double.random(in: 0...1))
        }
    }

    /// Takes what a worker sends, until it has closed the connection.
    private func serve(
        _ link: LinkConnection, of generation: Int, _ kill: @escaping @Sendable () -> Void
    ) async {
        let isKilled: Bool = state.withLock {
            $0.connections[generation]?.kill = kill
            return $0.connections[generation]?.isKilled == true
        }
        if isKilled { kill() }
        let isRead = await link.read { [weak self] frames in self?.received(frames, from: generation) }
        // A process that has closed its connection ends soon, or not at all.
        guard isRead else { return kill() }
        timers.after(.seconds(10)) { [weak self] in
            self?.change { state in
                if let kill = state.connections[generation]?.kill { state.work.append(kill) }
                return []
            }
        }
    }

    private func received(_ frames: [FrameBytes], from generation: Int) {
        let read: [WorkerFrame] = frames.compactMap { bytes in
            do { return try LinkCoder.workerFrame(bytes) } catch {
                logger.error("a worker has sent what can't be read: \(error)")
                return nil
            }
        }
        let now = timeSource.now()
        change { state in read.flatMap { state.session.received($0, from: generation, at: now) } }
    }
}
