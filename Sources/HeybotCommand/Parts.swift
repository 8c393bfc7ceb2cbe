import FoundationEssentials
import Heybot
import Logging
import SQLiteStore
import ShellAdapter

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
    private let scripts: [any Script]
    private let terminal: TerminalFacts

    var settings: Settings { read.settings }

    /// Reads the settings, and makes the data folder.
    init(_ options: Options, _ scripts: [any Script]) throws {
        let environment = ProcessInfo.processInfo.environment
        read = try ReadSettings(flags: options.flags, environment: environment) { SettingsFile.read($0) }
        data = try DataFolder(read.settings.data, environment: environment)
        terminal = TerminalFacts(environment)
        log = Log(read.settings.log, terminal: terminal)
        self.scripts = scripts
    }

    /// The brain's store, which makes its file when it is opened.
    func store() throws -> any Store {
        try data.make()
        return SQLiteStore(path: data.brain)
    }

    /// - Parameter text: The one message it hears; where it is nil, it hears what the adapters bring.
    func robot(saying text: String? = nil, logger: Logger) throws -> Robot {
        let adapters = text.map { [shell(.message($0))] } ?? settings.adapters.map(adapter)
        // Whoever is at the keyboard owns the place.
        let owners = adapters.compactMap { ($0 as? ShellAdapter)?.user.id.description }
        return Robot(
            name: settings.name, alias: settings.alias, adapters: adapters, brain: Brain(store: try store()),
            scripts: scripts, admins: settings.admins.union(owners), switches: settings.switches,
            limits: settings.limits, logger: logger)
    }

    private func adapter(_ name: AdapterName) -> any Adapter {
        switch name {
        case .shell: shell(.descriptor(0))
        }
    }

    private func shell(_ input: ShellAdapter.Input) -> ShellAdapter {
        var options = TerminalOptions()
        options.edits = terminal.movesCursor
        options.colors = terminal.hasColors
        options.historyFile = data.history
        options.historySize = settings.shell.historySize
        let shell = ShellAdapter(
            robotName: settings.name, userID: settings.shell.userID, userName: settings.shell.userName, input: input,
            terminal: options)
        // What is logged must not be written across the line that is being typed.
        if terminal.isErrorTerminal { log.show { [weak shell] in shell?.showAbove($0) ?? false } }
        return shell
    }

    /// Checks everything that can be known without a network, and tells what there is.
    func check() async throws {
        print("settings  OK")
        let robot = try robot(logger: Logger(label: "heybot"))
        try robot.check()
        print("scripts   \(robot.scripts.count), with \(robot.listeners.count) listeners")
        let broken = robot.brokenExamples()
        guard broken.isEmpty else { throw Failure(broken, EX_CONFIG) }
        print("help      every example is answered by its own listener")
        try await robot.brain.open()
        await robot.brain.close()
        print("brain     \(data.brain)")
        print("OK")
    }
}
