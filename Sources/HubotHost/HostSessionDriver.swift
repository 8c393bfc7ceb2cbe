import FoundationEssentials
import Heybot
import HeybotSupport
import Logging
import Synchronization

/// Runs one version of the Hubot scripts: starts the host's process, again if it ends, and carries out what the session with it
/// wants.
final class HostSessionDriver: Sendable {
    struct State {
        var session: HostSession
        var names: HubotRoomAndUserNames
        var outbox: Outbox?
        /// The callers that wait for a result, by run.
        var waiting: [Int: OneShotPromise<Result<RunResult, any Error>>] = [:]
        /// The messages that runs are about.
        var calls: [Int: RemoteListenerCall] = [:]
        /// For runs of middleware about messages that scripts have put into the robot: how many led to one another.
        var depths: [Int: Int] = [:]
        /// The runs whose asynchronous part isn't over: since when a stopping robot waits for each, and whether users see it
        /// writing.
        var unfinished: [Int: (robot: Robot, since: Duration, isTyping: Bool)] = [:]
        /// The numbers of the messages that the host's process knows.
        var told: Set<Int> = []
        /// The callers that wait for the answer to a web request.
        var requests: [Int: OneShotPromise<WebOutcome>] = [:]
        weak var robot: Robot?
        weak var host: HubotHost?
        /// The number of the present process, which no other process of a host has.
        var process = 0
        /// What is to be logged.
        var lines: [(Logger.Level, String, script: String?)] = []
        /// The messages that the process has just got to know; it hears of their end.
        var begun: [InFlightMessageHandle] = []
        /// The process, with all that follow it.
        var running: Task<Void, Never>?

        /// Remembers how many messages of scripts led to the one that a run is about.
        mutating func noteDepth(_ depth: Int, of run: Int) {
            depths[run] = depth
            if depths.count > 1_000, let oldest = depths.keys.min() { depths[oldest] = nil }
        }
    }

    /// The queue of changes of the brain.
    static let brainQueue = "brain"

    private let configuration: HubotHost.Configuration
    let shared: HubotHost.SharedAcrossReloads
    private let loaded = OneShotPromise<Void>()
    private let retired = OneShotPromise<Void>()
    let state: Mutex<State>
    // Read for each message of the robot, without a lock.
    private let hasLate = Atomic(false)
    private let hasAnyRoute = Atomic(false)
    private static let processes = Atomic(0)

    var logger: Logger { shared.logger }
    var timeSource: TimeSource { shared.timeSource }

    init(
        _ configuration: HubotHost.Configuration, _ shared: HubotHost.SharedAcrossReloads, names: HubotRoomAndUserNames
    ) {
        (self.configuration, self.shared) = (configuration, shared)
        state = Mutex(
            State(session: HostSession(configuration.start, limits: configuration.limits), names: names))
    }

    /// Starts the process, and waits until the scripts are loaded.
    ///
    /// Call it once.
    ///
    /// - Returns: Whether they could be loaded.
    func load(for host: HubotHost) async -> Bool {
        // Detached: the process doesn't belong to the message that asked for a reload.
        let running = Task.detached { await self.run() }
        state.withLock { ($0.running, $0.host) = (running, host) }
        await loaded.value()
        let session = state.withLock { $0.session }
        report(session)
        return session.phase == .loaded
    }

    /// A script for each file, in order, and one for what they have in common.
    func scripts(_ host: HubotHost) -> [any Script] {
        let session = state.withLock { $0.session }
        return HubotScriptProxy.scripts(of: session, self) + [CommonHubotScript(session, self, host)]
    }

    /// Stops the process, which saves and ends.
    ///
    /// After the limit, it is killed.
    func stop(within limit: Duration = .milliseconds(1_500)) async {
        perform { $0.stop() }
        let running = state.withLock { $0.running }
        let killing = Task { [timeSource] in
            try await timeSource.sleep(limit)
            self.state.withLock { $0.outbox }?.kill()
            running?.cancel()
        }
        await running?.value
        killing.cancel()
    }

    /// Has the process send what it has stored and finish what it has begun, because another one takes over.
    ///
    /// Returns when everything was sent, or when the limit has passed.
    func retire(within limit: Duration) async {
        let waiting = Task { [timeSource] in
            try await timeSource.sleep(limit)
            self.retired.fulfill(())
        }
        perform { $0.retire(at: self.timeSource.now()) }
        await retired.value()
        waiting.cancel()
    }

    /// Waits until the process has ended.
    func waitForEnd() async { await state.withLock { $0.running }?.value }

    /// Whether a script has announced a web route.
    var hasRoutes: Bool { hasAnyRoute.load(ordering: .relaxed) }

    /// Whether scripts have added listeners since the robot was built.
    var hasLateListeners: Bool { hasLate.load(ordering: .relaxed) }

    /// The number of scripts that are loaded.
    var loadedCount: Int { state.withLock { $0.session.scripts.count { $0.error == nil } } }

    /// The number of callers that wait for an answer.
    var waitingCount: Int { state.withLock { $0.waiting.count + $0.requests.count } }

    /// Whether the process answers questions.
    var isRunning: Bool { state.withLock { $0.session.phase == .running } }

    // MARK: The process

    /// Runs one process after another.
    private func run() async {
        let process = HostProcess(
            node: configuration.node, program: configuration.program, folder: configuration.folder,
            options: configuration.nodeOptions, withheldVariables: configuration.withheldVariables)
        while !Task.isCancelled {
            let outbox = Outbox()
            let number = Self.processes.add(1, ordering: .relaxed).newValue
            state.withLock { ($0.outbox, $0.told, $0.process, $0.depths) = (outbox, [], number, [:]) }
            perform { $0.started(at: self.timeSource.now()) }
            let ticking = Task { await self.tick() }
            var how: String
            do {
                how = try await process.run(outbox) { [weak self] output in
                    guard let self else { return }
                    let now = timeSource.now()
                    switch output {
                    case .lines(let lines): receive(lines, at: now)
                    case .error(let line): perform { $0.printed(line, at: now) }
                    }
                }
            } catch {
                how = "\(configuration.node) can't be started: \(error)"
                // Later, the machine may only be short of memory or processes for a moment.
                if !state.withLock({ $0.session.isLoaded }) {
                    ticking.cancel()
                    state.withLock { $0.outbox = nil }
                    return perform { $0.failedToStart(how) }
                }
            }
            ticking.cancel()
            state.withLock { $0.outbox = nil }
            let now = timeSource.now()
            let wait = change { state -> Duration? in
                let (actions, wait) = state.session.exited(how, at: now, chance: Double.random(in: 0...1))
                self.carryOut(actions, &state)
                return wait
            }
            guard let wait, (try? await timeSource.sleep(wait)) != nil,
                !state.withLock({ $0.session.isStopping })
            else { return }
        }
    }

    /// Keeps the session's time while a process runs.
    private func tick() async {
        while let due = state.withLock({ $0.session.nextDeadline }) {
            // The deadline may become earlier meanwhile.
            let wait = min(max(due - timeSource.now(), .milliseconds(10)), configuration.limits.pingInterval)
            guard (try? await timeSource.sleep(wait)) != nil else { return }
            let now = timeSource.now()
            change { state in
                self.carryOut(state.session.tick(at: now), &state)
                self.finishOverdue(at: now, &state)
                self.showTyping(at: now, &state)
            }
        }
    }

    // MARK: Actions

    /// Changes the session, and carries out what it wants.
    func perform(_ change: (inout HostSession) -> [HostAction]) {
        self.change { state in self.carryOut(change(&state.session), &state) }
    }

    /// Takes lines that the process has written at once, such as an answer and the result of its listener.
    ///
    /// The work that they cause begins when all of them are taken: the caller learns the result after the answer is sent.
    private func receive(_ lines: [HostOutputLine], at now: Duration) {
        change { state in
            for line in lines { self.carryOut(state.session.receive(line, at: now), &state) }
        }
    }

    /// Changes the state; what is logged is logged afterwards, since that may block.
    @discardableResult
    func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, outbox, lines, begun) = state.withLock { state in
            let result = change(&state)
            defer { (state.lines, state.begun) = ([], []) }
            hasLate.store(!state.session.lateListeners.isEmpty, ordering: .relaxed)
            hasAnyRoute.store(!state.session.routes.isEmpty, ordering: .relaxed)
            return (result, state.outbox, state.lines, state.begun)
        }
        // Not under the lock: this thread writes to the process, and may begin with what scripts send.
        outbox?.write()
        for line in lines { log(line) }
        for message in begun { message.atEnd { [weak self] in self?.ended(message.number) } }
        shared.beginJobs()
        return result
    }

    /// Carries out what the session wants, in order.
    func carryOut(_ actions: [HostAction], _ state: inout State) {
        for action in actions {
            switch action {
            case .write(let message): state.outbox?.add(message)
            case .writeLater(let message): state.outbox?.add(message, isDue: false)
            case .kill: state.outbox?.kill()
            case .log(let level, let text, let script): state.lines.append((level, text, script))
            case .loaded: loaded.fulfill(())
            case .readBrain: planBrainRead(state.process, state.robot)
            case .answer(let result): answer(result, &state)
            case .ended(let run): finish(run, &state)
            case .lost(let run, let hasMatched):
                let error = HostLost(script: state.calls[run]?.listener.script ?? "a script", hasMatched: hasMatched)
                state.waiting.removeValue(forKey: run)?.fulfill(.failure(error))
                state.calls[run] = nil
            case .handedOver(let run):
                state.waiting.removeValue(forKey: run)?.fulfill(.failure(HostReplaced()))
                state.calls[run] = nil
            case .tell(let run, let text):
                guard let call = state.calls[run] else { continue }
                _ = shared.deliveries.add(to: call.message.room.id.description) { await call.notify(text) }
            case .forget(let run):
                finish(run, &state)
                state.calls[run] = nil
            case .send(let request): send(request, &state)
            case .receive(let request): receive(request, &state)
            case .store(let entries): store(entries, &state)
            case .useDatastore(let request):
                let (robot, process) = (state.robot, state.process)
                let cost = request.key.utf8.count + (request.value?.approximateSize ?? 0)
                let isAdded = shared.operating.add(to: "", cost: cost) {
                    await self.use(request, of: robot, for: process)
                }
                guard !isAdded else { continue }
                carryOut(
                    state.session.respond(to: request.request, error: "too many operations are waiting"), &state)
            case .answerRequest(let id, let outcome): state.requests.removeValue(forKey: id)?.fulfill(outcome)
            case .countFailure(let script, let isTimeout):
                if isTimeout { state.robot?.countTimeout(of: script) } else { state.robot?.countError(of: script) }
            case .retired: retired.fulfill(())
            }
        }
    }

    private func store(_ entries: [BrainEntry], _ state: inout State) {
        let (robot, host) = (state.robot, state.host)
        let cost = entries.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.approximateSize ?? 0) }
        let isAdded = shared.pending.add(entries) { batch in
            shared.storing.add(to: Self.brainQueue, cost: cost) {
                await self.store(entries, in: robot, for: host)
                host?.learn(entries, ofBatch: batch, from: self)
                self.shared.pending.finishOldest()
            }
        }
        guard !isAdded else { return }
        // The process believes that the changes are stored. The next one reads what is.
        let reason = "too many changes are waiting to be stored, so the process is restarted"
        state.lines.append((.error, "can't store an entry in the Hubot scripts' brain: \(reason)", script: nil))
        state.outbox?.kill()
    }

    /// The process learns that the robot has finished with a message.
    private func ended(_ number: Int) {
        change { state in
            guard state.told.remove(number) != nil else { return }
            self.carryOut(state.session.end(number), &state)
        }
    }

    /// Passes a result on after what the listener has sent until then.
    private func answer(_ result: RunResult, _ state: inout State) {
        defer { if !state.session.runs.contains(result.run) { state.calls[result.run] = nil } }
        guard let promise = state.waiting.removeValue(forKey: result.run) else { return }
        // The end of a run that the session has forgotten, such as one that was stopped, never comes.
        if result.matched == true, result.held != true, result.ended == false, state.session.runs.contains(result.run) {
            begin(result.run, &state)
        }
        let isAdded = state.calls[result.run].map { call in
            result.matched == true && addAfterDeliveries(to: call.message.room) { promise.fulfill(.success(result)) }
        }
        if isAdded != true { promise.fulfill(.success(result)) }
    }

    /// Schedules a job for the time when everything sent to a room has been delivered; returns false if it already has.
    private func addAfterDeliveries(to room: Room, _ job: @escaping @Sendable () -> Void) -> Bool {
        let queue = room.id.description
        return !shared.deliveries.isIdle(queue) && shared.deliveries.add(to: queue, isQuick: true) { job() }
    }

    /// Lets a robot that stops wait for the asynchronous part of a run, but not longer than for any listener.
    private func begin(_ run: Int, _ state: inout State) {
        guard let robot = state.robot else { return }
        guard state.unfinished.updateValue((robot, timeSource.now(), false), forKey: run) == nil else { return }
        robot.inFlight.begin()
    }

    /// Finishes the runs that take too long, so that a stopping robot no longer waits for them.
    private func finishOverdue(at now: Duration, _ state: inout State) {
        for (run, unfinished) in state.unfinished where now - unfinished.since >= configuration.limits.answerTime {
            finish(run, &state)
        }
    }

    private func finish(_ run: Int, _ state: inout State) {
        guard let unfinished = state.unfinished.removeValue(forKey: run) else { return }
        let robot = unfinished.robot
        if unfinished.isTyping, let call = state.calls[run] { endTyping(of: call) }
        let isAdded = state.calls[run].map { call in
            // After what it has sent.
            addAfterDeliveries(to: call.message.room) { robot.inFlight.end() }
        }
        if isAdded != true { robot.inFlight.end() }
    }

    // MARK: The log

    private func log(_ line: (level: Logger.Level, text: String, script: String?)) {
        logger.log(level: line.level, line.text, script: line.script)
    }

    /// Logs what was loaded.
    private func report(_ session: HostSession) {
        for problem in problems { logger.error("\(problem)") }
        guard let language = session.language else { return }
        let (scripts, listeners) = (session.scripts.count { $0.error == nil }, session.listeners.count)
        let what = "\(scripts) Hubot script\(scripts == 1 ? "" : "s")"
        logger.info("loaded \(what) with \(listeners) listener\(listeners == 1 ? "" : "s"), in \(language)")
    }

    /// The scripts that can't be loaded, a line for each reason.
    var problems: [String] {
        let (scripts, excluded) = state.withLock { ($0.session.scripts, $0.session.excluded) }
        var failures: [String: [String]] = [:]
        for script in excluded.sorted() { failures["it didn't finish loading", default: []].append(script) }
        for script in scripts {
            if let error = script.error { failures[error.reason(of: script.id), default: []].append(script.id) }
        }
        return failures.sorted { $0.value[0] < $1.value[0] }.map { reason, scripts in
            let names = scripts.prefix(5).joined(separator: ", ")
            let more = scripts.count > 5 ? " and \(scripts.count - 5) more" : ""
            return "these Hubot scripts couldn't be loaded: \(names)\(more): \(reason)"
        }
    }
}

extension ScriptError {
    /// The reason why a script can't be loaded, with the place if that says more than the script's name.
    fileprivate func reason(of script: String) -> String {
        guard let file else { return message }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return line == nil && name == script ? message : "\(message) (\(name)\(line.map { ":\($0)" } ?? ""))"
    }
}

extension Logger {
    /// Logs a line of a script, if it is known.
    func log(level: Logger.Level, _ text: String, script: String?) {
        log(level: level, "\(text)", metadata: script.map { ["script": "\($0)"] })
    }

    /// Logs a warning of a script, if it is known.
    func warning(_ text: String, script: String?) { log(level: .warning, text, script: script) }
}
