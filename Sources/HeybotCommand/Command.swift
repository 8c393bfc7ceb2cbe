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

/// The command `heybot`: a robot of the scripts it is given, with all its flags, settings and subcommands.
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
            With nothing set it chats with you here, and remembers what it is told. heybot settings lists everything that \
            can be set, by flag, environment or heybot.json.
            """,
        subcommands: [ShowSettings.self, ShowListeners.self, ShowHealth.self, Check.self, BrainCommand.self, New.self])

    @OptionGroup var options: Options

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Say one message, print the answers and end.", valueName: "text"))
    var execute: String?

    @Flag(name: [.customShort("t"), .long], help: "Check settings, scripts, help and brain, and end.")
    var configCheck = false

    @Flag(name: [.customShort("d"), .customLong("disable-httpd")], help: "No web server, whatever scripts want.")
    var disableHTTPD = false

    @Flag(name: .shortAndLong, help: "Print the version.")
    var version = false

    @Option(name: [.customShort("r", allowingJoined: true), .long], help: .hidden)
    var require: [String] = []

    @Flag(name: .shortAndLong, help: .hidden)
    var create = false

    /// A flag that doesn't go with that subcommand, if one was given.
    private func flag(against subcommand: any Subcommand) -> String? {
        let flags = [
            ("--execute", execute != nil), ("--config-check", configCheck),
            ("--disable-httpd", disableHTTPD && !(subcommand is Check)),
            ("--version", version), ("--require", !require.isEmpty), ("--create", create)
        ]
        return flags.first { $0.1 }?.0
    }

    public init() {}

    /// What the robot is made of beside what is set.
    @TaskLocal static var scripts: [any Script] = []

    /// Does what the command line says, with a robot of these scripts, and ends the process if that fails.
    public static func main(scripts: [any Script]) async {
        // A reader of our answers who goes away is an error where we write, not the end of us.
        signal(SIGPIPE, SIG_IGN)
        await $scripts.withValue(scripts) {
            do {
                try await run(Options.completed(CommandLine.arguments.dropFirst(), subcommands: subcommandNames))
            } catch let error where error is ExitCode || exitCode(for: error) == .success {
                // Help was asked for, or there is nothing more to say.
                exit(withError: error)
            } catch {
                Failure(error).exit()
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
                throw Failure(usage: creation)
            }
            throw Failure(
                usage: problem, meaning: isWithin ? nil : subcommand(meantIn: problem), of: called(by: arguments))
        }
        if let subcommand = command as? any Subcommand, let flag = subcommand.root.flag(against: subcommand) {
            throw Failure(usage: "\(flag) goes with no subcommand")
        }
        if let subcommand = command as? any Subcommand, let flag = subcommand.idleFlag {
            let name = called(by: arguments)
            throw Failure(usage: "\(flag) does nothing for \(name)", of: name)
        }
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    /// What the parser's completions for bash lack: the subcommands after help.
    ///
    /// The later of two functions of that name counts.
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

    private static let creation = "a bot of your own is made by heybot new DIR now"

    /// The command and subcommands that arguments begin with, as one calls them.
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

    /// What was probably meant if the parser doesn't know what to do with a word: a subcommand, or a message.
    private static func subcommand(meantIn problem: String) -> String? {
        guard let word = problem.wholeMatch(of: /Unexpected argument '(.*)'/)?.1 else { return nil }
        if let name = nearest(String(word), of: subcommandNames) { return "heybot \(name)" }
        return word.wholeMatch(of: /[a-z]+/) == nil ? nil : "heybot -e \(word)"
    }

    public func run() async throws {
        if version { return try StandardOutput.writeLine(heybotVersion) }
        if !require.isEmpty {
            throw Failure(usage: "-r isn't there yet: scripts are compiled in, so put yours into Scripts/")
        }
        if create { throw Failure(usage: Self.creation) }
        if configCheck, execute != nil { throw Failure(usage: "--config-check and --execute don't go together") }
        let parts = try Parts(options, Self.scripts, isServing: !disableHTTPD)
        parts.log.bootstrap()
        if execute == nil, !disableHTTPD, parts.settings.web.isOn { MetricsSystem.bootstrap(parts.metrics) }
        if configCheck { return try await parts.check() }
        try parts.data.make()
        if execute == nil { try parts.data.lock(isShared: parts.settings.isShared) }
        let logger = Logger(label: "heybot")
        for name in parts.data.tighten() {
            logger.warning("\(parts.data.path)/\(name) was open to other users of this machine; now it is yours alone")
        }
        // One message doesn't count: whoever tries it out sees how it ends.
        _ = CrashContext.report(
            to: execute == nil ? parts.data.crashes : nil, prefix: parts.log.prefix(of: .critical))
        if execute == nil { await parts.lookBackOnCrashes(logger) }
        let robot = parts.robot(saying: execute, isPatient: execute == nil, logger: logger)
        let health = execute == nil ? listenForHealth(robot, parts, logger) : nil
        defer { health?.close() }
        try greet(robot)
        let tidying = execute == nil ? Task { try await Self.tidyUp(after: robot) } : nil
        defer { tidying?.cancel() }
        let following = parts.supervisor.map { supervisor in Task { await supervisor.follow(robot) } }
        defer { following?.cancel() }
        try await run(robot, parts, logger)
        if execute != nil, robot.failures > 0 { throw ExitCode(EX_SOFTWARE) }
    }

    /// Once the start is over, by and large, what it alone needed can go.
    ///
    /// That is within two seconds after every adapter is where it is to be, or knows that it isn't, or else after half a
    /// minute.
    private static func tidyUp(after robot: Robot) async throws {
        let end = ContinuousClock.now + .seconds(30)
        var isStarting = true
        repeat {
            isStarting = robot.adapters.contains { $0.status == .starting }
            try await Task.sleep(for: .seconds(1))
        } while isStarting && ContinuousClock.now < end
        ProcessMemory.giveBackStart()
    }

    private func listenForHealth(_ robot: Robot, _ parts: Parts, _ logger: Logger) -> HealthSocket? {
        do throws(HealthSocketError) {
            return try HealthSocket(in: parts.data, robot: robot, port: parts.webPort)
        } catch {
            logger.warning("\(error)")
            return nil
        }
    }

    /// Tells whoever has just sat down before a terminal how to begin.
    private func greet(_ robot: Robot) throws {
        guard execute == nil, robot.adapters.contains(where: { $0.name == "shell" }), isatty(0) == 1, isatty(1) == 1,
            robot.scripts.contains("Help"), !robot.switches.off.contains("Help")
        else { return }
        try StandardOutput.writeLine("Say help to see what I can do, exit to leave.")
    }

    /// Runs it until it ends by itself, or SIGTERM or SIGINT asks it to.
    ///
    /// SIGHUP has the settings file read again; in a terminal, which sends it when it is closed, it ends the robot too.
    private func run(_ robot: Robot, _ parts: Parts, _ logger: Logger) async throws {
        let isInTerminal = isatty(0) == 1 || isatty(2) == 1
        let heedsHangup = !Self.ignoresHangup
        var ends: [UnixSignal] = [.sigterm, .sigint]
        if isInTerminal, heedsHangup { ends.append(.sighup) }
        let signals = await UnixSignalsSequence(trapping: ends)
        let reloading = !isInTerminal && heedsHangup ? await reload(parts, robot, logger) : nil
        defer { reloading?.cancel() }
        // Who sits before it knows what they have typed.
        let level: Logger.Level = robot.adapters.contains { $0.name != "shell" } ? .info : .debug
        let listening = Task {
            await Self.heed(signals) { signal in
                parts.supervisor?.tell("STOPPING=1")
                // If nobody takes what is logged, that doesn't end, and the next signal must be heeded.
                Task {
                    robot.stop()
                    logger.log(level: level, "stopping, as \(signal) says")
                }
            }
        }
        defer { listening.cancel() }
        try await robot.run()
    }

    /// Whether whoever started it, nohup say, wants it to live on without its terminal.
    private static var ignoresHangup: Bool {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // Handlers can't be compared in Swift. Both are pointers to C functions, as wide as an Int, and neither is called.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Reads the settings again at each SIGHUP, until the task is cancelled.
    private func reload(_ parts: Parts, _ robot: Robot, _ logger: Logger) async -> Task<Void, Never> {
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let reloading = Reloading(parts, options, robot)
        return Task {
            var reloading = reloading
            for await _ in hangups { reloading.reload(logger) }
        }
    }

    private static func heed(
        _ signals: UnixSignalsSequence, stop: @escaping @Sendable (UnixSignal) -> Void
    ) async {
        var first: ContinuousClock.Instant?
        for await signal in signals {
            guard let began = first else {
                first = .now
                stop(signal)
                continue
            }
            // What comes at once is the first again, as when a supervisor passes on what its terminal sent to all. Who
            // asks later doesn't want to wait for what is still being done; what was to be remembered is.
            if ContinuousClock.now - began > .milliseconds(300) {
                LastMoment.run()
                _exit(128 + signal.rawValue)
            }
        }
    }
}

/// A subcommand, which knows what was said before it.
protocol Subcommand: AsyncParsableCommand {
    associatedtype Flags: SettingOptions

    var root: Command { get }
    /// The flags that do something for it: its help shows them, and the others are refused.
    ///
    /// Their values are in ``options``.
    var flags: Flags { get }
}

extension Subcommand {
    /// What the flags say, wherever they stand.
    var options: Options { root.options }

    /// The flag of a setting that was given and does nothing here.
    fileprivate var idleFlag: String? {
        Setting.all.first { options.flags[$0.name] != nil && !Flags.settings.contains($0.name) }?.flags.last
    }
}
