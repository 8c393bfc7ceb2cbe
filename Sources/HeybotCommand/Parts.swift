import CampfireAdapter
import CurlClient
import FoundationEssentials
import Heybot
import HeybotWebServer
import IRCAdapter
import Logging
import Metrics
import RedisStore
import SQLiteStore
import ShellAdapter
import XMPPAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The parts of a robot, as its settings choose them: the one place where everything comes together.
struct Parts: Sendable {
    let read: ReadSettings
    let data: DataFolder
    let log: Log
    /// Who started the robot and wants to hear how it is.
    let supervisor: Supervisor?
    /// What the robot counts, for whoever asks its web server.
    let metrics = PrometheusRegistry(limit: 50_000)
    /// Where the web server listens, once it does.
    let webPort = WebPort()
    /// What reaches the web for scripts and adapters.
    let http: any HTTPClient
    let scripts: [any Script]
    private let terminal: TerminalFacts
    private let isServing: Bool

    var settings: Settings { read.settings }

    /// Reads the settings.
    ///
    /// - Parameter isServing: Whether there may be a web server.
    init(
        _ options: Options, _ scripts: [any Script], isServing: Bool = true,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let scripts = scripts + [MetricsPage(metrics)]
        self.isServing = isServing
        read = try ReadSettings(options, scripts, isServing: isServing, environment: environment)
        data = try DataFolder(read.settings.data, environment: environment)
        supervisor = Supervisor(environment: environment)
        terminal = TerminalFacts(environment)
        let isOnlyHere = read.settings.adapters == [.shell] && terminal.isErrorTerminal && !read.isSet("LOG_LEVEL")
        log = Log(read.settings.logging, terminal: terminal, hidesAnswered: isOnlyHere)
        self.scripts = scripts
        http = CurlHTTPClient(
            read.settings.http.configuration(version: heybotVersion, environment: environment),
            logger: Logger(label: "heybot.http"))
    }

    /// The brain's store; if that is a file, it is made when it is opened, where the data folder is.
    ///
    /// - Parameter isPatient: Whether there is time to wait for a store that is away, as long as is set.
    func store(isPatient: Bool = false) -> any Store {
        guard var configuration = settings.redis.configuration else { return SQLiteStore(path: data.brain) }
        if !isPatient {
            configuration.tellsRisks = false
            // A second more than one attempt may take, whose own reason tells more.
            let usual = configuration.deadline + .seconds(1)
            configuration.patience = min(configuration.patience ?? usual, usual)
        }
        return RedisStore(configuration, logger: Logger(label: "heybot.redis"))
    }

    /// The brain's file; nil if it is kept elsewhere.
    var brainFile: String? { settings.redis.address == nil ? data.brain : nil }

    /// - Parameters:
    ///   - text: The one message it hears; if it is nil, it hears what the adapters bring.
    ///   - isPatient: Whether it has time to wait for its brain.
    func robot(saying text: String? = nil, isPatient: Bool = false, logger: Logger) -> Robot {
        let server = text == nil ? webServer : nil
        // If nobody can ask for it, nothing is counted.
        let factory: any MetricsFactory = server == nil ? NOOPMetricsHandler.instance : metrics
        let brain = Brain(store: CountedStore(store(isPatient: isPatient), factory: factory))
        let adapters = text.map { [shell(.message($0))] } ?? settings.adapters.compactMap { adapter($0, brain) }
        let robot = Robot(
            name: settings.name, alias: settings.alias, adapters: adapters, brain: brain,
            scripts: scripts + adapters.compactMap { $0 as? any Script },
            admins: admins(in: settings, of: adapters), switches: switches(in: settings),
            settings: settings.scripts, http: http, server: server, limits: settings.limits, logger: logger,
            metrics: factory)
        metrics.observe(robot)
        return robot
    }

    /// Nil if there is to be none.
    var webServer: HummingbirdServer? {
        guard isServing, var configuration = settings.web.configuration else { return nil }
        configuration.portSetting = read.place(of: "PORT") ?? configuration.portSetting
        configuration.isAddressChosen = read.place(of: "BIND_ADDRESS") != nil
        configuration.addressSetting = read.place(of: "BIND_ADDRESS") ?? "HEYBOT_BIND_ADDRESS"
        return HummingbirdServer(configuration, logger: Logger(label: "heybot.web")) { [webPort] in webPort.set($0) }
    }

    /// The admins by these settings: those of the adapters that run, and whoever is at the keyboard.
    func admins(in settings: Settings, of adapters: [any Adapter]) -> Set<String> {
        let owners = adapters.compactMap { ($0 as? ShellAdapter)?.user.id.description }
        let others = AdapterName.allCases.filter { !self.settings.adapters.contains($0) }.map { "\($0.rawValue):" }
        return settings.admins.filter { admin in !others.contains { admin.hasPrefix($0) } }.union(owners)
    }

    /// The scripts that these settings switch off, their names in upper and lower case as the scripts have them.
    func switches(in settings: Settings) -> ScriptSwitches {
        func known(_ name: String) -> String {
            scripts.first { $0.name.lowercased() == name.lowercased() }?.name ?? name
        }
        return ScriptSwitches(
            off: Set(settings.switches.off.map(known)),
            offInRoom: settings.switches.offInRoom.mapValues { Set($0.map(known)) })
    }

    /// Nil if its settings are missing, which was told when they were read.
    private func adapter(_ name: AdapterName, _ brain: Brain) -> (any Adapter)? {
        switch name {
        case .shell: shell(.descriptor(0))
        case .irc: try? IRCAdapter(settings.ircConfiguration, brain: brain)
        case .xmpp, .gtalk: try? XMPPAdapter(settings.xmppConfiguration(of: name), name: name.rawValue, brain: brain)
        case .campfire:
            settings.campfire.configuration.map { CampfireAdapter($0, http: http, robotName: settings.name) }
        }
    }

    private func shell(_ input: ShellAdapter.Input) -> ShellAdapter {
        var options = TerminalOptions()
        options.edits = terminal.movesCursor
        options.colors = terminal.hasColors
        options.historyFile = data.history
        options.historySize = settings.shell.historySize
        options.choices = ["script": scripts.map(\.name)]
        let shell = ShellAdapter(
            robotName: settings.name, userID: settings.shell.userID, userName: settings.shell.userName, input: input,
            terminal: options)
        // What is logged must not be written across the line that is being typed.
        if terminal.isErrorTerminal { log.show { [weak shell] in shell?.showAbove($0) ?? false } }
        return shell
    }
}
