import CurlClient
import FoundationEssentials
import Heybot
import Logging
import Metrics
import SQLiteStore
import ShellAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Assembles a robot from its settings: adapters, store, scripts, web server.
///
struct RobotAssembly: Sendable {
    let resolved: ResolvedSettings
    let data: DataFolder
    let log: Log
    /// Reports the robot's state to systemd; nil if systemd doesn't expect that.
    let systemd: SystemdNotifier?
    /// The metrics that the web server exposes.
    let metrics = PrometheusRegistry(limit: 50_000)
    /// The web server's port, once it listens.
    let webPort = BoundWebPort()
    /// The HTTP client for scripts and adapters.
    let http: any HTTPClient
    /// The robot's scripts: those that are compiled in, and those that were loaded.
    var scripts: [any Script]
    /// Those that were loaded.
    var loaded = LoadedRuntimeScripts()
    private let terminal: TerminalCapabilities
    private let isServing: Bool

    var settings: SettingValues { resolved.settings }

    /// Reads the settings.
    ///
    /// - Parameter isServing: Whether the web server may run.
    /// - Throws: ``InvalidSettingsError`` or ``DataFolderError``.
    init(
        _ options: Options, _ scripts: [any Script], isServing: Bool = true,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let scripts = scripts + [MetricsRoute(metrics)]
        self.isServing = isServing
        resolved = try ResolvedSettings(options, scripts, isServing: isServing, environment: environment)
        data = try DataFolder(resolved.settings.data, environment: environment)
        systemd = SystemdNotifier(environment: environment)
        terminal = TerminalCapabilities(environment)
        let isOnlyHere =
            resolved.settings.adapters == [.shell] && terminal.isErrorTerminal && !resolved.isSet("LOG_LEVEL")
        log = Log(resolved.settings.logging, terminal: terminal, hidesAnswered: isOnlyHere)
        self.scripts = scripts
        http = CurlHTTPClient(
            resolved.settings.httpClient.configuration(version: heybotVersion, environment: environment),
            logger: Logger(label: "heybot.http"))
    }

    /// The brain's store.
    ///
    /// A file is created in the data directory when the store is opened.
    ///
    /// - Parameter isPatient: Whether to wait for an unavailable store as long as the settings allow. Otherwise only one
    ///   attempt is made.
    func store(isPatient: Bool = false) -> any Store {
        includedParts.lazy.compactMap { $0.store(settings, isPatient: isPatient) }.first
            ?? SQLiteStore(path: data.brain)
    }

    /// The brain's location on a server; nil if it is a file.
    private var remoteBrain: String? { includedParts.lazy.compactMap { $0.brainLocation(in: settings) }.first }

    /// The brain's file; nil if the brain is on a server.
    var brainFile: String? { remoteBrain == nil ? data.brain : nil }

    /// The location of the brain: a file's path, or the address of a server.
    var brainPlace: String { remoteBrain ?? data.brain }

    /// Returns a new robot.
    ///
    /// - Parameters:
    ///   - text: A single message to handle in place of the adapters' messages.
    ///   - isPatient: As in ``store(isPatient:)``.
    ///   - split: This process's part of a robot in two processes; nil for a robot in one.
    func robot(
        saying text: String? = nil, isPatient: Bool = false, split: RobotSplit? = nil, logger: Logger
    ) -> Robot {
        let isGateway = split?.isGateway == true
        let process = split.map(\.servingProcess) ?? .whole
        let server = text == nil ? process.flatMap { webServer(in: $0) } : nil
        // Without a web server nothing exposes the metrics.
        let factory: any MetricsFactory = server == nil ? NOOPMetricsHandler.instance : metrics
        let counters: any MetricsFactory =
            isGateway && isServing && enablesWebServer
            ? SingleCounterFactory(name: "heybot_inbox_messages_dropped_total", registry: metrics) : factory
        let brain = Brain(store: InstrumentedStore(store(isPatient: isPatient), factory: factory))
        let own = text.map { [shell(.message($0))] } ?? settings.networks.compactMap { adapter($0, brain) }
        let adapters = split?.adapters(own) ?? own
        let all = scripts + adapters.compactMap { $0 as? any Script }
        // Those of adapters that only the other process has.
        let elsewhere = own.map(\.name).filter { name in !adapters.contains { $0.name == name } }
        let robot = Robot(
            name: settings.name, alias: settings.alias, adapters: adapters, brain: brain,
            scripts: split?.scripts(all) ?? all,
            admins: admins(in: settings, of: adapters).without(adapters: elsewhere),
            switches: isGateway ? DisabledScripts() : switches(in: settings),
            settings: settings.scripts, http: http, server: server, limits: settings.limits, logger: logger,
            metrics: counters)
        metrics.observe(robot, isGateway: isGateway)
        return robot
    }

    /// A web server with the settings; nil if it is disabled.
    ///
    /// - Parameter process: The process that serves.
    func webServer(in process: ServingProcess = .whole) -> (any CheckableWebServer)? {
        guard isServing else { return nil }
        return includedParts.lazy.compactMap { part in
            part.webServer(resolved, in: process) { [webPort] in webPort.set($0) }
        }.first
    }

    /// Whether the settings enable the web server.
    var enablesWebServer: Bool { includedParts.contains { $0.isServing(settings) } }

    /// The ids of admins in these settings, without those of adapters that don't run; and the user at the terminal.
    func admins(in settings: SettingValues, of adapters: [any Adapter]) -> Set<String> {
        let owners = adapters.compactMap { ($0 as? ShellAdapter)?.user.id.description }
        let running = Set(self.settings.networks.map(\.name))
        let known = AdapterName.allCases.map(\.rawValue) + self.settings.networkNames.values.joined()
        let others = known.filter { !running.contains($0) }.map { "\($0):" }
        return settings.admins.filter { admin in !others.contains { admin.hasPrefix($0) } }.union(owners)
    }

    /// The scripts that these settings disable.
    ///
    /// Names are spelled in the scripts' own case.
    func switches(in settings: SettingValues) -> DisabledScripts {
        func known(_ name: String) -> String {
            scripts.first { $0.name.lowercased() == name.lowercased() }?.name ?? name
        }
        return DisabledScripts(
            off: Set(settings.switches.off.map(known)),
            offInRoom: settings.switches.offInRoom.mapValues { Set($0.map(known)) })
    }

    /// The adapter; nil if its settings are invalid, which was reported when they were read.
    private func adapter(_ network: Network, _ brain: Brain) -> (any Adapter)? {
        network.kind == .shell
            ? shell(.descriptor(0)) : network.kind.part?.adapter(network, settings.values(of: network), brain, http)
    }

    private func shell(_ input: ShellAdapter.InputSource) -> ShellAdapter {
        var options = TerminalChatOptions()
        options.edits = terminal.movesCursor
        options.colors = terminal.hasColors
        options.historyFile = data.history
        options.historySize = settings.shell.historySize
        options.choices = ["script": scripts.map(\.name)]
        let shell = ShellAdapter(
            robotName: settings.name, userID: settings.shell.userID, userName: settings.shell.userName, input: input,
            terminal: options)
        // Log lines must appear above the input line, not within it.
        if terminal.isErrorTerminal { log.show { [weak shell] in shell?.showAbove($0) ?? false } }
        return shell
    }
}

extension Set<String> {
    /// These ids of users, without those of some adapters.
    func without(adapters: [String]) -> Set<String> {
        filter { id in !adapters.contains { id.hasPrefix("\($0):") } }
    }
}
