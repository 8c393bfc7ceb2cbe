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

/// A robot: adapters that connect it to chat networks, scripts that handle messages, and a brain that stores its state.
///
/// ```swift
/// let robot = Robot(
///     name: "Marvin", adapters: [ShellAdapter()], brain: Brain(store: SQLiteStore(path: "brain.sqlite")),
///     scripts: standardScripts)
/// try await robot.run()
/// ```
///
/// It is a `Service` of Swift Service Lifecycle: a `ServiceGroup` can run it beside other services, and a graceful shutdown
/// stops it.
public final class Robot: Service {
    /// The robot's name.
    public let name: String
    /// Another name that it answers to.
    public let alias: String?
    /// Its connections to chat networks.
    public let adapters: [any Adapter]
    /// Its persistent state.
    public let brain: Brain
    /// The HTTP client of its scripts.
    public let http: any HTTPClient
    /// When the robot was created.
    public let startDate: Date
    /// Its logger.
    public let logger: Logger

    /// Those of the adapters that can change messages, found once because that takes long.
    let messageChangers: [any MessageChanging]
    /// The HTTP server that calls the routes.
    let server: (any HTTPServer)?
    let limits: Limits
    let users: UserPermissions
    let toggles: ScriptToggles
    let accessRules: AccessRules
    let dispatcher: Dispatcher
    let runner: ScriptRunner
    let handlers: [EventHandler]
    let startTimers: [RegisteredTimer]
    let durableTimers: DurableTimers
    let companions: [RobotCompanion]
    let stopping = AsyncLatch()
    /// What closures have done once.
    let onceRecords = OnceRecords()
    /// Whether registered timers don't fire any more.
    let hasEndedTimers = Atomic(false)
    /// Whether registered timers do nothing for now.
    let holdsTimers = Atomic(false)
    /// Whether the web server was started.
    let hasStartedServer = Atomic(false)
    /// Whether the web server has failed.
    let hasServerFailed = Atomic(false)
    private let generator: Mutex<any RandomNumberGenerator & Sendable>
    private let problems: [String]
    /// The names of the scripts at the start; settings may still name those that were removed since.
    private let firstScripts: [String]

    var timeSource: TimeSource { runner.timeSource }
    package var timers: TimerQueue { runner.timers }
    /// When the next timer is due; nil if there is none.
    package var nextTimer: Duration? { runner.nextTimer() }
    package var inFlight: InFlightCounter { runner.inFlight }
    var metrics: RobotMetrics { runner.metrics }
    var queue: InboundQueue { dispatcher.queue }

    /// Creates a robot from its parts.
    ///
    /// Problems with the parts are reported by ``run()``.
    ///
    /// - Parameters:
    ///   - name: The robot's name.
    ///   - alias: Another name that it answers to.
    ///   - adapters: Its connections to chat networks, with unique names.
    ///   - brain: Its persistent state.
    ///   - scripts: Its scripts, with unique names. Their listeners are tried in this order.
    ///   - admins: The ids of the admins, such as `irc:alice`; the adapter may be omitted if there is only one.
    ///   - switches: Which scripts are off, and where; more may be switched off from chat.
    ///   - settings: The values of its scripts' settings, by name, such as `WEATHER_KEY`.
    ///   - http: The HTTP client of its scripts.
    ///   - server: The HTTP server of its scripts' routes. It runs if a script defines a route.
    ///   - limits: The limits on its concurrency, queues and times.
    ///   - logger: Its logger.
    ///   - metrics: The backend of its metrics.
    public convenience init(
        name: String = "Heybot", alias: String? = nil, adapters: [any Adapter], brain: Brain,
        scripts: [any Script], admins: Set<String> = [], switches: DisabledScripts = DisabledScripts(),
        settings: [String: String] = [:], http: (any HTTPClient)? = nil, server: (any HTTPServer)? = nil,
        limits: Limits = Limits(), logger: Logger = Logger(label: "heybot"),
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.init(
            name: name, alias: alias, adapters: adapters, brain: brain, scripts: scripts, admins: admins,
            switches: switches, settings: settings, http: http, server: server, limits: limits, logger: logger,
            metrics: metrics, timeSource: TimeSource(ContinuousClock(), date: { .now }),
            generator: SystemRandomNumberGenerator(),
            giveUp: {
                ExitHooks.run()
                // Not `exit`: its handlers could wait for the very threads that are stalled.
                _exit(75)
            })
    }

    package init(
        name: String, alias: String?, adapters: [any Adapter], brain: Brain, scripts: [any Script],
        admins: Set<String>, switches: DisabledScripts, settings: [String: String], http: (any HTTPClient)?,
        server: (any HTTPServer)?, limits: Limits, logger: Logger, metrics: any MetricsFactory, timeSource: TimeSource,
        generator: any RandomNumberGenerator & Sendable, giveUp: @escaping @Sendable () -> Void
    ) {
        var builder = RobotBuilder(settings: settings)
        for script in scripts { builder.register(script) }
        let named = ConfiguredAdmins(admins, adapters)
        named.recognize()
        self.name = name
        self.alias = alias
        self.adapters = adapters
        messageChangers = adapters.compactMap { $0 as? any MessageChanging }
        self.brain = brain
        self.limits = limits
        self.logger = logger
        self.http = http ?? MissingHTTPClient()
        self.server = server
        startDate = timeSource.date()
        handlers = builder.handlers
        startTimers = builder.startTimers
        durableTimers = DurableTimers(builder.jobs, adapters: adapters.map(\.name))
        companions = builder.companions
        users = UserPermissions(brain, owners: named.ids)
        toggles = ScriptToggles(brain, settings: switches)
        accessRules = AccessRules(brain)
        runner = ScriptRunner(
            limits, timers: TimerQueue(timeSource), timeSource: timeSource, inFlight: InFlightCounter(),
            metrics: RobotMetrics(adapters: adapters.map(\.name), scripts: scripts.map(\.name), factory: metrics),
            logger: logger, giveUp: giveUp)
        let registry = ScriptRegistry(
            builder, scripts: scripts.map(\.name),
            topics: Dictionary(scripts.map { ($0.name, $0.topic) }, uniquingKeysWith: { first, _ in first }))
        dispatcher = Dispatcher(
            registry, Addressing(name: name, alias: alias), adapters: adapters, runner, users, toggles, accessRules,
            limits, stopping: stopping)
        firstScripts = registry.scripts
        self.generator = Mutex(generator)
        problems =
            Self.problems(name, adapters) + Self.problems(registry.scripts, builder.indexedListeners)
            + Self.problems(of: switches, registry.scripts) + named.problems
            + RouteResponder.problems(builder.routes) + builder.problems
    }

    /// Sets the action that is called, within a second, each time all script threads have become idle; by a robot that passes its
    /// messages on, up to ten times a second while it does so.
    ///
    /// The action should return soon, because the robot doesn't notice a script that blocks its thread meanwhile.
    package func onIdle(_ action: @escaping @Sendable () -> Void) { runner.pool.onIdle(action) }

    /// Runs the robot until it is stopped or canceled, or until all adapters have ended and their messages have been handled.
    ///
    /// The brain is opened before any message is received. Call it once.
    ///
    /// - Throws: ``RobotError`` for problems with the parts, ``StoreError`` if the brain can't be opened, and the first adapter's
    ///   error if all adapters have failed.
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
        logger.debug("opened the brain; \(listeners.count) listeners are registered")
        let isForwarding = dispatcher.registry.sink != nil
        if !isForwarding { warnOfAccessToMissingCommands() }
        dispatcher.start(for: self)
        for companion in companions { await companion.start(self) }
        startRegisteredTimers()
        durableTimers.start(self)
        // A robot that forwards its messages needs no switches and roles.
        if !isForwarding { refreshPeriodically() }
        let inbox = Inbox(
            robotName: name, queue: queue, limiter: dispatcher.commandLimiter,
            concernsNobody: { [weak dispatcher] in dispatcher?.concernsNobody($0) ?? false },
            availableCommands: { [weak self] in self?.commands(for: $0, in: $1).map(\.line).sorted() ?? [] },
            commandSource: dispatcher.registry.commandSource)
        let serving = await serve()
        // If the web server failed to start, the robot stops instead of connecting.
        let runningAdapters = RunningAdapters(isStopping ? [] : adapters, inbox, logger)
        let failure = await withTaskCancellationHandler {
            await runningAdapters.waitForEnd(orWhen: stopping, idle: inFlight)
        } onCancel: {
            stop()
        }
        // In a task of its own: in a canceled one, the waits of the shutdown would end at once.
        let serverFailure = await Task { await shutDown(runningAdapters, serving) }.value
        if let failure = serverFailure ?? failure { throw failure }
    }

    /// Opens the brain, which may wait for a store that is unavailable.
    ///
    /// - Returns: False if the robot was stopped meanwhile.
    private func openBrainUnlessStopped() async throws -> Bool {
        let opening = Task { try await openBrain() }
        let cancelling = Task { [stopping] in
            await stopping.wait()
            opening.cancel()
        }
        defer { cancelling.cancel() }
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

    /// Whether the robot has been asked to stop.
    package var isStopping: Bool { stopping.isOpen }

    /// Whether the robot stops because its web server has failed.
    package var isStoppingForServer: Bool { hasServerFailed.load(ordering: .acquiring) }

    /// Throws the problems with the robot's parts, as ``run()`` does.
    public func check() throws(RobotError) {
        if !problems.isEmpty { throw .misconfigured(problems) }
    }

    /// Stops the robot: it accepts no more messages, handles those that it has for a few seconds, and disconnects.
    public func stop() {
        // In this order, so that who sees that a message is refused sees why.
        stopping.open()
        queue.drain()
    }

    // MARK: For scripts

    /// The names of its scripts, in registration order.
    public var scripts: [String] { dispatcher.registry.scripts }

    /// Every listener, in the order they are tried.
    public var listeners: [Listener] { dispatcher.registry.listenerIndex.listeners }

    /// The web routes of its scripts, in the order they are tried.
    public var routes: [Route] { dispatcher.registry.routes }

    /// How often script code has failed or timed out since the robot started.
    public var failures: Int { metrics.failures }

    /// The current date of the robot's clock.
    public var date: Date { timeSource.date() }

    /// A random element.
    func random<Items: Collection>(_ items: Items) -> Items.Element? {
        guard !items.isEmpty else { return nil }
        let offset = random(in: 0...items.count - 1)
        return items[items.index(items.startIndex, offsetBy: offset)]
    }

    /// A random number.
    func random(in range: ClosedRange<Int>) -> Int {
        generator.withLock { Int.random(in: range, using: &$0) }
    }
}

extension Robot {
    private static func problems(_ name: String, _ adapters: [any Adapter]) -> [String] {
        var problems: [String] = []
        if name.allSatisfy(\.isWhitespace) { problems.append("the robot's name is empty") }
        if adapters.isEmpty { problems.append("the robot has no adapter: add at least one") }
        problems += adapters.map(\.name).filter { $0.isEmpty || $0.contains(":") }
            .map { "invalid adapter name \"\($0)\": it must not be empty or contain a colon" }
        return problems
            + duplicates(adapters.map(\.name)).map { "two adapters are named \($0): adapter names must be unique" }
    }

    static func problems(_ scripts: [String], _ listeners: [IndexedListener]) -> [String] {
        duplicates(scripts).map { "two scripts are named \($0): script names must be unique" }
            + duplicates(listeners.map(\.listener.id)).map {
                "two listeners have the id \($0): listener ids must be unique"
            }
    }

    private static func problems(of switches: DisabledScripts, _ scripts: [String]) -> [String] {
        let known = scripts.sorted().joined(separator: ", ")
        return switches.scripts.subtracting(scripts).sorted()
            .map { "can't disable the script \($0): there is no such script; available: \(known)" }
    }

    /// Applies settings that have changed while the robot runs.
    ///
    /// - Parameters:
    ///   - admins: The ids of all admins, such as `irc:alice`.
    ///   - switches: Which scripts are off by the settings, and where.
    /// - Throws: ``RobotError`` if the settings are invalid; then nothing is changed.
    package func replaceSettings(admins: Set<String>, switches: DisabledScripts) throws(RobotError) {
        let named = ConfiguredAdmins(admins, adapters)
        let problems = named.problems + Self.problems(of: switches, Array(Set(scripts + firstScripts)))
        guard problems.isEmpty else { throw .misconfigured(problems) }
        named.recognize()
        users.set(owners: named.ids)
        toggles.set(switches)
    }

    /// The names that occur more than once, sorted.
    private static func duplicates(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return Set(names.filter { !seen.insert($0).inserted }).sorted()
    }
}

extension RobotError: UserFacingError {
    public var userMessage: String { "I can't do that, because \(self)." }
}

/// Why a robot can't start, or can't send a message.
public enum RobotError: Error, Hashable, CustomStringConvertible {
    /// Problems with the robot's parts, one line each.
    case misconfigured([String])
    /// There is no adapter of that name.
    case unknownAdapter(String, known: [String])
    /// A room was named without its adapter, and there are several adapters.
    case ambiguousRoom(room: String, known: [String])

    public var description: String {
        switch self {
        case .misconfigured(let problems):
            problems.joined(separator: "\n")
        case .unknownAdapter(let name, let known):
            "there is no adapter \(name); available: \(known.joined(separator: ", "))"
        case .ambiguousRoom(let room, let known):
            """
            the room \(room) could be on \(known.joined(separator: " or ")): specify the adapter, \
            such as \(known.first ?? ""):\(room)
            """
        }
    }
}
