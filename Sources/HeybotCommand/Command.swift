public import ArgumentParser
public import Heybot
import Logging
import Metrics
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The command `heybot`: a robot with the given scripts, and all options, settings and subcommands.
///
/// ```swift
/// await Command.main(scripts: standardScripts + scripts)
/// ```
public struct Command: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "heybot",
        abstract: "Heybot, a chat bot.",
        usage: """
            heybot [<options>]
            heybot [<options>] <subcommand>
            """,
        discussion: """
            Without any settings, heybot starts a chat in this terminal. To list all settings (options, environment variables \
            and keys in heybot.json), run "heybot settings".
            """,
        subcommands: [
            SettingsCommand.self, ListenersCommand.self, HealthCommand.self, ReloadCommand.self, CheckCommand.self,
            BrainCommand.self, NewCommand.self
        ] + linkedSubcommands)

    #if AllParts
        private static let linkedSubcommands: [any ParsableCommand.Type] = [GatewayCommand.self, WorkerCommand.self]
    #else
        private static let linkedSubcommands: [any ParsableCommand.Type] = []
    #endif

    @OptionGroup var options: Options

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Handle one message, print the answers and exit.", valueName: "text"))
    var execute: String?

    @Flag(name: [.customShort("t"), .long], help: "Check settings, scripts, help and brain, and exit.")
    var configCheck = false

    @Flag(
        name: [.customShort("d"), .customLong("disable-httpd")],
        help: "Don't start the web server, even if scripts define routes.")
    var disableHTTPD = false

    @Flag(help: "Run connections and scripts in one process.")
    var single = false

    @Flag(name: .shortAndLong, help: "Print the version.")
    var version = false

    @Option(
        name: [.customShort("r", allowingJoined: true), .long],
        help: ArgumentHelp("Load Hubot scripts from a folder or file; can be repeated.", valueName: "path"),
        completion: .file())
    var require: [String] = []

    @Flag(name: .shortAndLong, help: .hidden)
    var create = false

    /// The first given option that can't be combined with the subcommand.
    private func flag(against subcommand: any Subcommand) -> String? {
        let flags = [
            ("--execute", execute != nil), ("--config-check", configCheck),
            ("--disable-httpd", disableHTTPD && !subcommand.mayServe), ("--single", single),
            ("--version", version), ("--require", !require.isEmpty && !subcommand.loadsScripts), ("--create", create)
        ]
        return flags.first { $0.1 }?.0
    }

    public init() {}

    /// The robot's scripts.
    @TaskLocal static var scripts: [any Script] = []

    /// Runs the command line with a robot that has these scripts.
    ///
    /// If it fails, prints the error and ends the process.
    public static func main(scripts: [any Script]) async {
        // If the reader of a pipe exits, writing to it must fail instead of ending this process.
        signal(SIGPIPE, SIG_IGN)
        // `heybot reload` may find this process before it reads signals; what it loads then is present anyway.
        signal(SIGUSR1, SIG_IGN)
        await $scripts.withValue(scripts) {
            do {
                try await run(Options.completed(CommandLine.arguments.dropFirst(), subcommands: subcommandNames))
            } catch let error where error is ExitCode || exitCode(for: error) == .success {
                // Help was requested, or the error was printed already.
                exit(withError: error)
            } catch {
                ExitError(error).exit()
            }
        }
    }

    private static var subcommandNames: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    private static func run(_ arguments: [String]) async throws {
        var command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(arguments)
        } catch {
            let text = fullMessage(for: error)
            if exitCode(for: error) == .success, text.hasPrefix("#!/bin/bash") {
                return try StandardOutput.writeLine(text + "\n" + bashCompletionOfHelp)
            }
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            let problem = message(for: error)
            let isWithin = arguments.contains { subcommandNames.contains($0) }
            if !isWithin, arguments.contains(where: { $0 == "-c" || $0 == "--create" }) {
                throw ExitError(usage: creation)
            }
            throw ExitError(
                usage: problem, meaning: isWithin ? nil : subcommand(meantIn: problem), of: called(by: arguments))
        }
        if let subcommand = command as? any Subcommand, let flag = subcommand.root.flag(against: subcommand) {
            throw ExitError(usage: "\(flag) can't be combined with a subcommand")
        }
        if let subcommand = command as? any Subcommand, let flag = subcommand.unsupportedFlag {
            let name = called(by: arguments)
            throw ExitError(usage: "\(flag) has no effect with \(name)", of: name)
        }
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    /// A completion for bash that the parser's script lacks: the subcommands after `help`.
    ///
    /// It replaces the function of the same name in that script.
    private static var bashCompletionOfHelp: String {
        func names(_ command: any ParsableCommand.Type) -> String {
            command.configuration.subcommands.map { $0._commandName }.joined(separator: " ")
        }
        let groups = configuration.subcommands.compactMap { command -> String? in
            let below = names(command)
            return below.isEmpty ? nil : "        \(command._commandName)) names='\(below)' ;;\n"
        }
        return """
            _heybot_help() {
                local names=
                case "${unparsed_words[*]:0:$((${#unparsed_words[@]} - 1))}" in
                    '') names='\(names(Self.self))' ;;
            \(groups.joined())    esac
                COMPREPLY+=($(compgen -W "${names}" -- "${cur}"))
            }
            """
    }

    private static let creation = "-c isn't supported: to create a bot, run heybot new DIR"

    /// The command line's command with its subcommands, such as `heybot brain get`.
    private static func called(by arguments: [String]) -> String {
        var name = "heybot"
        var subcommands = configuration.subcommands
        for argument in arguments {
            guard let next = subcommands.first(where: { $0._commandName == argument }) else { continue }
            name += " \(argument)"
            subcommands = next.configuration.subcommands
        }
        return name
    }

    /// The command to suggest for a word that the parser rejects: a subcommand, or `-e` with the word as a message.
    private static func subcommand(meantIn problem: String) -> String? {
        guard let word = problem.wholeMatch(of: /Unexpected argument '(.*)'/)?.1 else { return nil }
        if let name = closestMatch(String(word), of: subcommandNames) { return "heybot \(name)" }
        return word.wholeMatch(of: /[a-z]+/) == nil ? nil : "heybot -e \(word)"
    }

    public func run() async throws {
        if version { return try StandardOutput.writeLine(heybotVersion) }
        if create { throw ExitError(usage: Self.creation) }
        if configCheck, execute != nil { throw ExitError(usage: "--config-check and --execute can't be combined") }
        try await run(.whole)
    }

    /// What this process does.
    enum Role {
        /// All of the robot, perhaps with a process of its own for the scripts.
        case whole
        /// The connections, for workers that it reaches through Redis.
        case gateway
        /// The scripts, for gateways that it reaches through Redis.
        case worker
    }

    /// Runs the robot, or its part.
    func run(_ role: Role) async throws {
        let socket = role == .whole ? RobotSplit.takeSocket() : nil
        var assembly = try RobotAssembly(options, Self.scripts, isServing: !disableHTTPD)
        assembly.log.bootstrap()
        let logger = Logger(label: "heybot")
        for deprecation in assembly.resolved.deprecations { logger.warning("\(deprecation)") }
        let mayServe = assembly.enablesWebServer || role == .gateway
        if execute == nil, !disableHTTPD, mayServe { MetricsSystem.bootstrap(assembly.metrics) }
        if configCheck {
            try await assembly.loadScripts(at: require)
            return try await assembly.check()
        }
        try assembly.data.make()
        // The gateway has locked it for its workers.
        if execute == nil, socket == nil {
            try assembly.data.lock(isShared: assembly.settings.isShared || role != .whole)
        }
        for name in assembly.data.restrictPermissions() {
            logger.warning(
                "\(assembly.data.path)/\(name) was accessible to other users; now only its owner has access")
        }
        // With -e the user sees the crash, so it isn't recorded.
        _ = CrashReporter.report(
            to: execute == nil ? assembly.data.crashes : nil, prefix: assembly.log.prefix(of: .critical))
        if execute == nil, socket == nil { await assembly.handleEarlierCrashes(logger) }
        let split = try await RobotSplit.make(
            assembly, role, socket, isSingle: single || execute != nil, logger)
        if split?.isGateway != true {
            try await assembly.loadScripts(at: require, saysOneMessage: execute != nil)
        }
        let robot = assembly.robot(saying: execute, isPatient: execute == nil, split: split, logger: logger)
        let health = execute == nil && socket == nil ? listenForHealth(robot, assembly, split, logger) : nil
        defer { health?.close() }
        try greet(robot)
        let libraries = execute == nil ? ProcessMemory.fileMappings : []
        let tidying = execute == nil ? Task { try await Self.tidyUp(after: robot, libraries) } : nil
        defer { tidying?.cancel() }
        let following = socket == nil ? assembly.systemd.map { systemd in Task { await systemd.follow(robot) } } : nil
        defer { following?.cancel() }
        if socket != nil {
            split?.follow(robot)
            try await runWorker(robot)
        } else {
            try await run(robot, assembly, split, logger)
        }
        if let status = split?.failure() { throw ExitCode(status) }
        if execute != nil, robot.failures > 0 { throw ExitCode(EX_SOFTWARE) }
    }

    /// Releases the memory that only the start needed, and then releases memory after each burst of work.
    ///
    /// It begins one second after the last adapter has started, and after 30 seconds at the latest.
    ///
    /// - Parameter libraries: The mappings of files before the adapters start.
    private static func tidyUp(after robot: Robot, _ libraries: Set<Range<UInt>>) async throws {
        let end = ContinuousClock.now + .seconds(30)
        var isStarting = true
        repeat {
            isStarting = robot.adapters.contains { $0.status == .starting }
            try await Task.sleep(for: .seconds(1))
        } while isStarting && ContinuousClock.now < end
        ProcessMemory.releaseUnusedPages(of: libraries, whenIdle: robot)
    }

    private func listenForHealth(
        _ robot: Robot, _ assembly: RobotAssembly, _ split: RobotSplit?, _ logger: Logger
    ) -> HealthSocket? {
        let (port, splitReport) = (assembly.webPort, split?.report)
        let report: @Sendable () async -> HealthSocketReply? = { [weak robot] in
            guard let robot else { return nil }
            if let splitReport { return await splitReport(robot) }
            return HealthSocketReply(health: await robot.health(), webPort: port.number)
        }
        do throws(HealthSocketError) {
            return try HealthSocket(in: assembly.data, report: report)
        } catch {
            logger.warning("\(error)")
            return nil
        }
    }

    /// Prints a hint if the robot chats in a terminal.
    private func greet(_ robot: Robot) throws {
        guard execute == nil, robot.adapters.contains(where: { $0.name == "shell" }), isatty(0) == 1, isatty(1) == 1,
            robot.scripts.contains("Help"), !robot.switches.off.contains("Help")
        else { return }
        try StandardOutput.writeLine("Say help to see what I can do, or exit to leave.")
    }

    /// Runs the robot until all its adapters have ended, or until SIGTERM or SIGINT.
    ///
    /// SIGHUP and SIGUSR1 reload the settings. In a terminal, SIGHUP ends the robot, since a terminal sends it when it is closed.
    private func run(
        _ robot: Robot, _ assembly: RobotAssembly, _ split: RobotSplit?, _ logger: Logger
    ) async throws {
        let isInTerminal = isatty(0) == 1 || isatty(2) == 1
        let handlesHangup = !Self.ignoresHangup
        var ends: [UnixSignal] = [.sigterm, .sigint]
        if isInTerminal, handlesHangup { ends.append(.sighup) }
        let signals = await UnixSignalsSequence(trapping: ends)
        // `heybot reload` sends SIGUSR1, because SIGHUP may mean something else, or be ignored.
        let reloads: [UnixSignal] = !isInTerminal && handlesHangup ? [.sighup, .sigusr1] : [.sigusr1]
        let reloading = await reload(assembly, robot, split, at: reloads, logger)
        defer { reloading.cancel() }
        // The user of a terminal knows that they pressed ^C.
        let level: Logger.Level = robot.adapters.contains { $0.name != "shell" } ? .info : .debug
        let listening = Task {
            await Self.handle(signals) { signal in
                assembly.systemd?.notify("STOPPING=1")
                // A person has pressed ^C; a supervisor that restarts the robot sends SIGTERM.
                if signal == .sigint {
                    for adapter in robot.adapters { (adapter as? any SessionKeeping)?.leaveAtStop() }
                }
                // In a task: logging blocks if standard error is a full pipe, but the next signal must be handled.
                Task {
                    robot.stop()
                    logger.log(level: level, "received \(signal), shutting down")
                }
            }
        }
        defer { listening.cancel() }
        try await robot.run()
    }

    /// Runs a worker's robot, which ends when its gateway says so, or has ended.
    ///
    /// A supervisor and a terminal may send their signals to all processes; only the gateway reacts.
    private func runWorker(_ robot: Robot) async throws {
        // What its scripts start must get them, so they are caught, not ignored.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let ignoring = Task { for await _ in signals {} }
        defer { ignoring.cancel() }
        try await robot.run()
    }

    /// Whether SIGHUP was ignored when the process started, as with nohup; first read before it is handled.
    static let ignoresHangup: Bool = {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Swift can't compare handlers. Both are pointers to C functions, as wide as an Int, and neither is called.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    /// Reloads the settings at each of these signals, until the returned task is canceled.
    private func reload(
        _ assembly: RobotAssembly, _ robot: Robot, _ split: RobotSplit?, at signals: [UnixSignal], _ logger: Logger
    ) async -> Task<Void, Never> {
        let hangups = await UnixSignalsSequence(trapping: signals)
        let reloader = SettingsReloader(assembly, options, robot)
        if let split, split.isGateway {
            split.announce()
            return Task {
                for await _ in hangups {
                    reloader.reloadConnections(logger)
                    guard let swap = split.swap else { continue }
                    logger.notice("reloading: starting a new worker, with the present settings, scripts and program")
                    swap()
                }
            }
        }
        return Task {
            var reloading = reloader
            for await _ in hangups {
                // First the scripts: the new settings may name new ones.
                await assembly.loaded.reloadScripts(logger)
                reloading.reload(logger)
            }
        }
    }

    private static func handle(
        _ signals: UnixSignalsSequence, stop: @escaping @Sendable (UnixSignal) -> Void
    ) async {
        var first: ContinuousClock.Instant?
        for await signal in signals {
            guard let began = first else {
                first = .now
                stop(signal)
                continue
            }
            // A signal right after the first is a duplicate: a supervisor may forward what the terminal sent to all. A
            // later one ends the process at once; brain updates are already durable.
            if ContinuousClock.now - began > .milliseconds(300) {
                ExitHooks.run()
                _exit(128 + signal.rawValue)
            }
        }
    }
}
