package import HeybotSupport
import Logging

/// The robot's side of the conversation with a script host, as a value.
///
/// It outlives the host's processes: when one has ended, ``exited(_:at:chance:)`` says when to start the next. It does no I/O,
/// and knows neither a clock nor randomness.
package struct HostSession: Sendable {
    /// The times and sizes that limit a host.
    package struct Limits: Hashable, Sendable {
        /// The time between two pings.
        package var pingInterval: Duration = .seconds(5)
        /// The time in which a ping must be answered.
        package var pingTimeout: Duration = .seconds(10)
        /// The time that a script may take to load.
        package var loadTime: Duration = .seconds(30)
        /// The number of processes in a row that may end before all scripts are loaded.
        ///
        /// After that, the robot starts without them.
        package var loadAttempts = 3
        /// The number of questions that wait for a host that is starting.
        package var waitingQuestions = 1_000
        /// The number of users that the host knows.
        package var users = 5_000
        /// The number of listeners.
        package var listeners = 20_000
        /// The number of listeners that scripts add later; each is asked about each message of its kind.
        package var lateListeners = 1_000
        /// The number of runs that are remembered after their listeners have returned.
        package var answeredRuns = 5_000
        /// How long after its listener has returned a command counts as unanswered if it has sent nothing.
        package var answerTime: Duration = .seconds(30)
        /// How many lines may be printed past the protocol.
        package var output = RateLimit(burst: 100, interval: .milliseconds(50))
        /// How many lines may be logged.
        package var log = RateLimit(burst: 2_000, interval: .milliseconds(5))
        /// The longest line of the log, in characters.
        package var logText = 8_000
        /// The number of scripts, and of web routes.
        package var scripts = 5_000
        package var routes = 1_000
        /// How often a script may block or end the process in ``failureWindow`` before it is left out.
        package var failures = 3
        package var failureWindow: Duration = .seconds(600)
        /// The web requests that wait for a host that is starting.
        package var waitingRequests = 100
        /// The longest body of a web route's answer, in bytes.
        package var webBody = 32 << 20
        /// How long a host may take to finish after another one has taken over.
        package var retirement: Duration = .seconds(60)

        package init() {}
    }

    /// What the host's process is doing.
    enum Phase: Hashable {
        /// There is none.
        case ended
        /// It loads the scripts; the one that it loads now, and since when.
        case loading(script: String?, since: Duration)
        /// The scripts are loaded; the host waits for the brain.
        case loaded
        /// It answers questions.
        case running
        /// Another one takes over: it only finishes what it has begun. It is stopped at this time.
        case retiring(until: Duration, hasRetired: Bool)
    }

    let start: RobotMessage.Start
    let limits: Limits
    var phase = Phase.ended
    /// Whether the scripts were loaded, or given up, once.
    package private(set) var isLoaded = false
    /// Whether the robot runs, so that its brain can be read.
    var hasRobot = false
    package internal(set) var isStopping = false
    private var backoff = Backoff(first: .milliseconds(200), longest: .seconds(2), stable: .seconds(10))
    /// The waits after processes that haven't loaded the scripts.
    private var loadBackoff = Backoff(first: .milliseconds(400), longest: .seconds(30))
    private var startedAt: Duration = .zero
    private(set) var failedLoads = 0

    /// The scripts as they were loaded first, in order.
    package private(set) var scripts: [LoadedScript] = []
    /// The host's language, for the log.
    package private(set) var language: String?
    /// The scripts that hang while they load, or have blocked or ended the process repeatedly; later processes don't load them.
    var excluded: Set<String> = []
    /// What loads scripts that aren't in the list of the start message, by script.
    var loaders: [String: ScriptLoader] = [:]
    var faults = FaultAttribution()
    var web = WebExchanges()
    /// The web routes of the scripts; while a process is being restarted, those of the previous one.
    package private(set) var routes: [WebRoute] = []
    /// What the present process has announced.
    private var announced: (middleware: Set<MiddlewareKind>, routes: [WebRoute]) = ([], [])
    /// What another host has changed in the brain while this one didn't run.
    var waitingChanges: [BrainEntry] = []
    /// The number of the newest changes that the host got with the brain.
    var newestBatch = 0
    /// Whether the present process has got the brain's entries, but not their end.
    var hasEntries = false
    /// The errors that were logged already.
    private var loggedErrors: Set<String> = []

    var registry = ListenerRegistry()
    /// The kinds of middleware that scripts have.
    package private(set) var middleware: Set<MiddlewareKind> = []
    var runs = RunTable()
    var users = KnownUsers()
    var ping: (id: Int, sent: Duration)?
    /// Whether the process was killed and hasn't ended yet.
    var isKilled = false
    var nextPing: Duration = .zero
    var lastPing = 0
    private var output: LogRateLimiter
    private var log: LogRateLimiter

    package init(_ start: RobotMessage.Start, limits: Limits = Limits()) {
        (self.start, self.limits) = (start, limits)
        output = LogRateLimiter(limits.output)
        log = LogRateLimiter(limits.log)
    }

    /// The listeners as they were announced while the scripts were loaded first, in order.
    package var listeners: [AnnouncedListener] { registry.first }

    /// The listeners that were announced after the robot was built, in order.
    package var lateListeners: [AnnouncedListener] { registry.late }

    // MARK: The process

    /// A process was started.
    package mutating func started(at now: Duration) -> [HostAction] {
        phase = .loading(script: nil, since: now)
        startedAt = now
        (ping, nextPing, isKilled) = (nil, now + limits.pingInterval, false)
        registry.forgetProcess()
        faults.forgetProcess()
        (announced, hasEntries) = (([], []), false)
        if !isLoaded { scripts = [] }
        return [.write(.start(start.leavingOut(excluded, packages: Set(excluded.compactMap { loaders[$0]?.package }))))]
    }

    /// The process has ended.
    ///
    /// - Parameters:
    ///   - how: How it ended, for the log, such as `status 1`.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: What to do, and how long to wait before the next process; nil if there should be none.
    package mutating func exited(_ how: String, at now: Duration, chance: Double) -> ([HostAction], Duration?) {
        let previous = phase
        phase = .ended
        let unanswered = FaultAttribution.Culprit(scripts: runs.unansweredScripts, reason: .unanswered)
        var actions = runs.processEnded(at: now, answerTime: limits.answerTime) + web.processEnded()
        if case .retiring(_, let hasRetired) = previous {
            isStopping = true
            return (actions + runs.close() + web.close() + (hasRetired ? [] : [.retired]), nil)
        }
        if isStopping { return (actions + runs.close() + web.close() + finishLoading(), nil) }
        let wait: Duration
        if case .loading(let loading, _) = previous {
            wait = loadBackoff.next(chance: chance)
            failedLoads += 1
            let script = faults.culprit(at: now)?.script ?? loading
            if let script, failedLoads > 1 { _ = leaveOut(script) }
            actions.append(
                .log(.error, "the Hubot scripts' process ended while loading scripts: \(how)", script: script))
            if failedLoads >= limits.loadAttempts, !isLoaded { actions += finishLoading() }
        } else {
            backoff.connectionLasted(now - startedAt)
            wait = backoff.next(chance: chance)
            // Something else may have killed it, so only a script that was reported is blamed.
            let reported = faults.isExplained ? nil : faults.culprit(at: now)
            let culprit = faults.isExplained ? nil : reported ?? unanswered
            actions.append(
                .log(
                    .error,
                    "the Hubot scripts' process ended, and is being restarted: \(how)\(culprit.map { "; \($0)" } ?? "")",
                    script: culprit?.script))
            if let reported { actions += blame(reported, at: now) }
        }
        return (actions, wait)
    }

    /// The process can't be started.
    package mutating func failedToStart(_ reason: String) -> [HostAction] {
        phase = .ended
        isStopping = true
        return [.log(.error, "Hubot scripts can't run: \(reason)", script: nil)] + runs.close() + web.close()
            + finishLoading()
    }

    /// The robot stops.
    package mutating func stop() -> [HostAction] {
        guard !isStopping else { return [] }
        isStopping = true
        let isAlive = phase != .ended
        return (isAlive ? [.write(.stop)] : runs.close() + web.close()) + finishLoading()
    }

    private mutating func finishLoading() -> [HostAction] {
        guard !isLoaded else { return [] }
        isLoaded = true
        registry.freeze()
        return [.loaded]
    }

    // MARK: What the host says

    /// A line of the host's standard output.
    package mutating func receive(_ line: HostOutputLine, at now: Duration) -> [HostAction] {
        let message: HostMessage
        switch line {
        case .message(let parsed): message = parsed
        case .printed(let bytes): return printed(bytes, at: now)
        case .tooLong:
            let text = "dropped a line from the Hubot scripts' process: the line is too long"
            return log(.error, text, script: nil, at: now)
        case .undecodableBrain:
            // The process believes that the changes are stored. The next one reads what is.
            let text =
                "the Hubot scripts' process sent unreadable changes to the brain, so the process is being restarted"
            return [.log(.error, text, script: nil), .kill]
        }
        if case .retiring = phase { return receiveFromRetiring(message, at: now) }
        return receive(message, at: now)
    }

    /// A line that a script has printed past the protocol.
    package mutating func printed(_ line: [UInt8], at now: Duration) -> [HostAction] {
        switch output.admit(at: now) {
        case .no: return []
        case .yes(let dropped):
            let text = String(decoding: line.prefix(limits.logText), as: UTF8.self)
            return Self.dropped(dropped) + [.log(.info, text, script: nil)]
        }
    }

    private static func dropped(_ count: Int) -> [HostAction] {
        count == 0 ? [] : [.log(.warning, "dropped \(count) lines of the Hubot scripts' output", script: nil)]
    }

    mutating func receive(_ message: HostMessage, at now: Duration) -> [HostAction] {
        switch message {
        case .loading(let script, let package, let parent):
            if loaders.count < limits.scripts {
                loaders[script] = package.map { .package($0) } ?? parent.map { .script($0) }
            }
            if case .loading = phase { phase = .loading(script: script, since: now) }
            return []
        case .script(let script):
            if case .loading = phase { phase = .loading(script: nil, since: now) }
            return loaded(script)
        case .listener(let listener):
            guard registry.count < limits.listeners, registry.late.count < limits.lateListeners else {
                let text = "a Hubot script registered too many listeners: ignoring a listener"
                return log(.error, text, script: listener.script, at: now)
            }
            registry.add(listener)
            return []
        case .unlisten(let id):
            registry.remove(id)
            return []
        case .ready(let ready):
            guard case .loading = phase else { return [] }
            phase = .loaded
            (failedLoads, language) = (0, ready.language)
            (middleware, routes) = announced
            loadBackoff.connectionLasted(.zero)
            nextPing = now + limits.pingInterval
            return finishLoading() + (hasRobot ? [.readBrain] : [])
        case .help:
            // Help is part of the listeners, which don't change while the robot runs.
            return isLoaded
                ? [.log(.debug, "a Hubot script changed its help while running, which has no effect", script: nil)] : []
        case .middleware(let kinds):
            announced.middleware = Set(kinds)
            guard phase == .loaded || phase == .running else { return [] }
            let new = Set(kinds).subtracting(middleware)
            middleware = Set(kinds)
            guard isLoaded, phase == .running, !new.isEmpty else { return [] }
            return [.log(.debug, "a Hubot script added middleware", script: nil)]
        case .send(let request):
            if let run = request.run { runs.hasSent(run) }
            return [.send(request)]
        case .receive(let request): return [.receive(request)]
        case .result(let result): return runs.answered(result, at: now) + runs.forgetOldest(above: limits.answeredRuns)
        case .ended(let run, let error): return runs.ended(run, error: error)
        case .error(let error):
            guard error.fatal != true else {
                isStopping = true
                return [.log(.error, "Hubot scripts can't run: \(error.message)", script: nil)]
            }
            // The error of a listener is logged when its result comes, with the message that caused it.
            if let run = error.run, runs.failed(run, with: error) { return [] }
            let text = "script \(error.script ?? "unknown") failed: \("\(error)".prefix(limits.logText))"
            return log(.error, text, script: error.script, at: now)
        case .log(let line):
            let dropped = Self.dropped(line.dropped ?? 0)
            guard let text = line.text else { return dropped }
            let level = line.level.flatMap(Logger.Level.init(rawValue:)) ?? .info
            return dropped + log(level, String(text.prefix(limits.logText)), script: line.script, at: now)
        case .brain(let entries): return phase == .running ? [.store(entries)] : []
        case .datastore(let request): return [.useDatastore(request)]
        case .routes(let routes):
            announced.routes = Array(routes.prefix(limits.routes))
            if phase == .loaded || phase == .running { self.routes = announced.routes }
            return []
        case .webResponse(let head, let part): return web.receive(head, part, limit: limits.webBody)
        case .webBody(let part): return web.receive(part, limit: limits.webBody)
        case .busy(let report):
            faults.report(report, at: now)
            return []
        case .retired: return []
        case .pong(let id):
            if ping?.id == id {
                (ping, nextPing) = (nil, now + limits.pingInterval)
                // It has returned since.
                faults.forgetReport()
            }
            return []
        case .unknown(let type):
            let text = "the Hubot scripts' process sent an unknown message: \(type.prefix(limits.logText))"
            return log(.debug, text, script: nil, at: now)
        }
    }

    /// Logs a text of the host, up to a rate.
    private mutating func log(
        _ level: Logger.Level, _ text: String, script: String?, at now: Duration
    ) -> [HostAction] {
        switch log.admit(at: now) {
        case .no: []
        case .yes(let dropped):
            Self.dropped(dropped) + [.log(level, text, script: script)]
        }
    }

    private mutating func loaded(_ script: LoadedScript) -> [HostAction] {
        if !isLoaded, scripts.count < limits.scripts { scripts.append(script) }
        guard let error = script.error, loggedErrors.count < limits.scripts,
            loggedErrors.insert("\(script.id) \(error)").inserted, isLoaded
        else {
            return []
        }
        // Those of the first start are logged together.
        return [.log(.error, "the Hubot script \(script.id) couldn't be loaded: \(error)", script: script.id)]
    }
}
