public import FoundationEssentials
public import Logging
public import Metrics
public import ServiceLifecycle
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A robot: adapters that hear and speak, scripts that know what to say, a brain that remembers.
///
/// ```swift
/// let robot = Robot(
///     name: "Marvin", adapters: [ShellAdapter()], brain: Brain(store: SQLiteStore(path: "brain.sqlite")),
///     scripts: standardScripts)
/// try await robot.run()
/// ```
///
/// It is a service of Swift Service Lifecycle: a `ServiceGroup` runs it beside others, and a graceful shutdown stops it.
public final class Robot: Service {
    /// How much a robot does at once, and for how long.
    public struct Limits: Hashable, Sendable {
        /// How many messages are handled at a time; the next wait.
        public var concurrency = 64
        /// How many messages of one person are handled at a time, so that nobody takes all there are.
        ///
        /// In one room it is one after the other, unless one waits for something outside for more than a second.
        public var concurrencyPerPerson = 4
        /// How many messages of one room are handled at a time.
        public var concurrencyPerRoom = 16
        /// How many messages wait until they may be handled, those in the inbox not counted.
        ///
        /// If there are more, whoever has most waiting loses the newest.
        public var waiting = 1_000
        /// How many messages of one person wait until they may be handled.
        ///
        /// What they say beyond that is dropped and counted, and they are asked to wait.
        public var waitingPerPerson = 64
        /// How many bytes of text a message may have, in UTF-8.
        ///
        /// A longer one goes to no script; if it was said to the robot, the robot says so.
        public var text = 64 << 10
        /// How long a listener's closure may take, unless the listener says otherwise.
        public var deadline: Duration = .seconds(30)
        /// How many threads scripts run on.
        ///
        /// They start as they are needed.
        public var threads = 4
        /// How long a script may keep a thread without an `await` before another thread takes its place.
        public var patience: Duration = .seconds(2)
        /// How long a listener's matcher may take; one that takes longer again and again is told in the log.
        public var slowMatch: Duration = .milliseconds(50)
        /// How many threads scripts may hold forever, before the process ends with status 75 to be started again.
        public var stuckThreads = 16
        /// How many messages wait in the inbox.
        ///
        /// If it is full, adapters wait for room: those that have a connection to keep for ``Inbox/patience`` at most.
        public var inbox = 1_000
        /// How many bytes the body of a request to a route may have, unless the route says otherwise.
        public var body = 1 << 20
        /// How long closures may go on running when the robot stops, and what they have said may wait for its turn.
        public var grace: Duration = .seconds(3)
        /// How long adapters have then to take their leave.
        public var farewell: Duration = .milliseconds(1_700)

        /// The limits that suit a robot of a few busy rooms.
        public init() {}
    }

    /// What it is called.
    public let name: String
    /// Another name it answers to.
    public let alias: String?
    /// What it hears and speaks through.
    public let adapters: [any Adapter]
    /// What it remembers.
    public let brain: Brain
    /// What reaches the web for its scripts.
    public let http: any HTTPClient
    /// The names of its scripts, in registration order.
    public let scripts: [String]
    /// Every path its scripts answer on the web, in the order they are tried.
    public let routes: [Route]
    /// When it was put together.
    public let startDate: Date
    /// Where it logs.
    public let logger: Logger

    /// What brings the web's requests to the routes.
    let server: (any HTTPServer)?
    let limits: Limits
    let users: UserDirectory
    let toggles: ScriptToggles
    let dispatcher: Dispatcher
    let runner: ScriptRunner
    let handlers: [EventHandler]
    let schedule: [ScheduledWork]
    /// What each script is for, and what has to be set before its commands can work, by its name.
    let topics: [String: Topic]
    let missingSettings: [String: String]
    let stopping = Gate()
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    private let problems: [String]

    var timeline: Timeline { runner.timeline }
    package var timers: Timers { runner.timers }
    package var activity: Activity { runner.activity }
    var counters: Counters { runner.counters }
    var queue: DeliveryQueue { dispatcher.queue }

    /// Puts a robot together; what is wrong with its parts is said by ``run()``.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - alias: Another name it answers to.
    ///   - adapters: What it hears and speaks through; each has a name of its own.
    ///   - brain: What it remembers.
    ///   - scripts: What it can do; their listeners are tried in this order.
    ///   - admins: The ids of those who may use what is for admins only, as `irc:alice` or, if
    ///     there is one adapter, `alice`.
    ///   - switches: Which scripts are off, and where; more may be switched off from chat.
    ///   - settings: What its scripts' settings are set to, by name, as `WEATHER_KEY`.
    ///   - http: What reaches the web for its scripts.
    ///   - server: What brings the web's requests to its scripts' routes; it runs if a script has one of its own.
    ///   - limits: How much it does at once, and for how long.
    ///   - logger: Where it logs.
    ///   - metrics: Where it counts.
    public convenience init(
        name: String = "Heybot", alias: String? = nil, adapters: [any Adapter], brain: Brain,
        scripts: [any Script], admins: Set<String> = [], switches: ScriptSwitches = ScriptSwitches(),
        settings: [String: String] = [:], http: (any HTTPClient)? = nil, server: (any HTTPServer)? = nil,
        limits: Limits = Limits(), logger: Logger = Logger(label: "heybot"),
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.init(
            name: name, alias: alias, adapters: adapters, brain: brain, scripts: scripts, admins: admins,
            switches: switches, settings: settings, http: http, server: server, limits: limits, logger: logger,
            metrics: metrics, timeline: Timeline(ContinuousClock(), date: { .now }),
            generator: SystemRandomNumberGenerator(),
            giveUp: {
                LastMoment.run()
                // At once: what runs at a usual exit could wait for the very threads that are stuck.
                _exit(75)
            })
    }

    package init(
        name: String, alias: String?, adapters: [any Adapter], brain: Brain, scripts: [any Script],
        admins: Set<String>, switches: ScriptSwitches, settings: [String: String], http: (any HTTPClient)?,
        server: (any HTTPServer)?, limits: Limits, logger: Logger, metrics: any MetricsFactory, timeline: Timeline,
        generator: any RandomNumberGenerator & Sendable, giveUp: @escaping @Sendable () -> Void
    ) {
        var builder = RobotBuilder(settings: settings)
        for script in scripts { builder.register(script) }
        let named = NamedAdmins(admins, adapters)
        named.recognize()
        self.name = name
        self.alias = alias
        self.adapters = adapters
        self.brain = brain
        self.limits = limits
        self.logger = logger
        self.http = http ?? MissingHTTPClient()
        self.server = server
        routes = builder.routes
        startDate = timeline.date()
        handlers = builder.handlers
        schedule = builder.schedule
        topics = Dictionary(scripts.map { ($0.name, $0.topic) }, uniquingKeysWith: { first, _ in first })
        missingSettings = builder.missingSettings
        users = UserDirectory(brain, owners: named.ids)
        toggles = ScriptToggles(brain, settings: switches)
        runner = ScriptRunner(
            limits, timers: Timers(timeline), timeline: timeline, activity: Activity(),
            counters: Counters(adapters: adapters.map(\.name), scripts: scripts.map(\.name), factory: metrics),
            logger: logger, giveUp: giveUp)
        dispatcher = Dispatcher(
            Router(builder.listeners), builder.middleware, Addressing(name: name, alias: alias), adapters: adapters,
            runner, users, toggles, limits, stopping: stopping)
        self.scripts = scripts.map(\.name)
        self.generator = Mutex(generator)
        problems =
            Self.problems(name, adapters, scripts, builder.listeners, switches) + named.problems
            + Routes.problems(builder.routes) + builder.problems
    }

    /// Runs until it is stopped, or cancelled, or every adapter has come to its end and all is answered.
    ///
    /// The brain is opened before anything is received. To be called once.
    ///
    /// - Throws: ``RobotError`` for what is wrong with its parts, ``StoreError`` if the brain can't be opened, and
    ///   the first adapter's error if none could go on.
    public func run() async throws {
        try check()
        try await withGracefulShutdownHandler {
            try await runUntilStopped()
        } onGracefulShutdown: {
            self.stop()
        }
    }

    private func runUntilStopped() async throws {
        guard try await openBrainUnlessStopped() else { return }
        logger.debug("the brain is open; \(listeners.count) listeners are ready")
        dispatcher.start(for: self)
        startSchedule()
        keepUp()
        let inbox = Inbox(
            robotName: name, queue: queue, limits: dispatcher.commandLimits,
            offers: { [weak self] in self?.offers(to: $0, in: $1).map(\.line).sorted() ?? [] })
        let serving = await serve()
        // Without the web server it is told to have, it goes nowhere.
        let running = RunningAdapters(isStopping ? [] : adapters, inbox, logger)
        let failure = await withTaskCancellationHandler {
            await running.ended(orWhen: stopping, idle: activity)
        } onCancel: {
            stop()
        }
        // On a task of its own: if ours is cancelled, it would leave nobody any time.
        let serverFailure = await Task { await shutDown(running, serving) }.value
        if let failure = serverFailure ?? failure { throw failure }
    }

    /// Opens the brain, which may take as long as a store that is away; false if the robot was stopped before.
    private func openBrainUnlessStopped() async throws -> Bool {
        let opening = Task { try await openBrain() }
        let heeding = Task { [stopping] in
            await stopping.wait()
            opening.cancel()
        }
        defer { heeding.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await opening.value
            } onCancel: {
                stop()
            }
            return true
        } catch is CancellationError {
            return false
        }
    }

    /// Whether it has been told to stop.
    var isStopping: Bool { stopping.isOpen }

    /// Throws what is wrong with its parts, as ``run()`` does.
    public func check() throws(RobotError) {
        if !problems.isEmpty { throw .misconfigured(problems) }
    }

    /// Stops it: no new messages, a few seconds for the closures that are running, then goodbye.
    public func stop() {
        let left = queue.close()
        stopping.open()
        // Last, since a log that nobody reads may take forever.
        if left > 0 { logger.warning("stopping with \(left) messages unanswered") }
    }

    /// Waits for what has been said and has only to wait for its turn.
    private func sayTheRest(until end: Duration) async {
        let paced = adapters.compactMap { $0 as? any Paced }
        while paced.contains(where: { $0.unsaid > 0 }), timeline.now() < end {
            try? await timeline.sleep(.milliseconds(20))
        }
    }

    /// Returns what the web server failed with, if it did.
    private func shutDown(_ running: RunningAdapters, _ serving: Task<(any Error)?, Never>?) async -> (any Error)? {
        serving?.cancel()
        queue.close()
        timers.close()
        let failure = Mutex<(any Error)?>(nil)
        let end = timeline.now() + limits.grace
        await wait(atMost: limits.grace) {
            await self.activity.idle()
            let error = await serving?.value
            failure.withLock { $0 = error }
        }
        let cancelled = runner.close()
        if cancelled > 0 { logger.warning("stopping \(cancelled) closure\(cancelled == 1 ? "" : "s") still running") }
        // A moment for those that heed it.
        await wait(atMost: .milliseconds(200)) { await self.activity.idle() }
        await sayTheRest(until: end)
        running.cancel()
        await wait(atMost: limits.farewell) { await running.allEnded() }
        await brain.close()
        return failure.withLock { $0 }
    }

    func wait(atMost limit: Duration, for event: @escaping @Sendable () async -> Void) async {
        let gate = Gate()
        let waiting = Task {
            await event()
            gate.open()
        }
        let sleeping = Task { [timeline] in
            try? await timeline.sleep(limit)
            gate.open()
        }
        await gate.wait()
        waiting.cancel()
        sleeping.cancel()
    }

    // MARK: What scripts may ask

    /// Every listener, in the order they are tried.
    public var listeners: [Listener] { dispatcher.router.listeners }

    /// How often script code has failed or was stopped since the robot began.
    public var failures: Int { counters.failures }

    /// The date, as this robot's clock has it.
    public var date: Date { timeline.date() }

    func random<Items: Collection>(_ items: Items) -> Items.Element? {
        guard !items.isEmpty else { return nil }
        let offset = random(in: 0...items.count - 1)
        return items[items.index(items.startIndex, offsetBy: offset)]
    }

    func random(in range: ClosedRange<Int>) -> Int {
        generator.withLock { Int.random(in: range, using: &$0) }
    }
}

extension Robot {
    private static func problems(
        _ name: String, _ adapters: [any Adapter], _ scripts: [any Script], _ listeners: [Listener],
        _ switches: ScriptSwitches
    ) -> [String] {
        var problems: [String] = []
        if name.allSatisfy(\.isWhitespace) { problems.append("the robot has no name: give it one") }
        if adapters.isEmpty { problems.append("the robot has no adapter, so nobody could talk to it: give it one") }
        problems += adapters.map(\.name).filter { $0.isEmpty || $0.contains(":") }
            .map { "\"\($0)\" can't be an adapter's name: it must not be empty or hold a colon" }
        problems += twice(adapters.map(\.name)).map { "two adapters are named \($0): name each its own" }
        problems += twice(scripts.map(\.name)).map { "two scripts are named \($0): give one another name" }
        problems += twice(listeners.map(\.id)).map { "two listeners have the id \($0): give one another id" }
        return problems + self.problems(of: switches, scripts.map(\.name))
    }

    private static func problems(of switches: ScriptSwitches, _ scripts: [String]) -> [String] {
        let known = scripts.sorted().joined(separator: ", ")
        return switches.scripts.subtracting(scripts).sorted()
            .map { "there is no script \($0) to switch off; there are \(known)" }
    }

    /// Takes over settings that have changed while it runs.
    ///
    /// - Parameters:
    ///   - admins: The ids of all admins, as `irc:alice`.
    ///   - switches: Which scripts are off by the settings, and where.
    /// - Throws: ``RobotError`` for what is wrong with them; then nothing is changed.
    package func replaceSettings(admins: Set<String>, switches: ScriptSwitches) throws(RobotError) {
        let named = NamedAdmins(admins, adapters)
        let problems = named.problems + Self.problems(of: switches, scripts)
        guard problems.isEmpty else { throw .misconfigured(problems) }
        named.recognize()
        users.set(owners: named.ids)
        toggles.set(switches)
    }

    private static func twice(_ names: [String]) -> [String] {
        Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    }
}

extension RobotError: SpokenError {
    public var spoken: String { "I can't: \(self)." }
}

/// Why a robot can't start, or say what it was told to.
public enum RobotError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with its parts, a line each.
    case misconfigured([String])
    /// There is no such adapter.
    case noAdapter(String, known: [String])
    /// A room was named without its adapter, and there are several.
    case whichAdapter(room: String, known: [String])

    public var description: String {
        switch self {
        case .misconfigured(let problems):
            problems.joined(separator: "\n")
        case .noAdapter(let name, let known):
            "there is no adapter \(name); there is \(known.joined(separator: ", "))"
        case .whichAdapter(let room, let known):
            "the room \(room) could be on \(known.joined(separator: " or ")): say which, as \(known.first ?? ""):\(room)"
        }
    }
}
