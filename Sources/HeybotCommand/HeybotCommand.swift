import ArgumentParser
import FoundationEssentials
import Heybot
import Logging
import SQLiteStore
import ServiceLifecycle
import ShellAdapter
import StandardScripts
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The command `heybot`: reads the settings, picks the parts, puts them together and runs them.
@main
struct HeybotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heybot",
        abstract: "Heybot, a chat bot.",
        discussion: """
            With nothing set it chats with you here, and remembers what it is told. The README lists the settings that have \
            no flag.
            """)

    @OptionGroup var options: Options

    static func main() async {
        do {
            let command = try parse(Options.completed(CommandLine.arguments.dropFirst()))
            try await command.run()
        } catch let error where exitCode(for: error) == .validationFailure {
            Failure(usage: message(for: error)).exit()
        } catch {
            exit(withError: error)
        }
    }

    func run() async throws {
        if options.version {
            print(heybotVersion)
            return
        }
        // A reader of our answers who goes away is an error where we write, not the end of us.
        signal(SIGPIPE, SIG_IGN)
        do {
            let settings = try Settings(options, environment: ProcessInfo.processInfo.environment)
            LoggingSystem.bootstrap(StreamLogHandler.standardError(label:))
            let robot = try robot(settings)
            try await run(robot, settings.logger)
            if options.execute != nil, robot.failures > 0 { throw ExitCode(EX_SOFTWARE) }
        } catch let status as ExitCode {
            throw status
        } catch {
            Failure(error).exit()
        }
    }

    private func robot(_ settings: Settings) throws -> Robot {
        let shell = ShellAdapter(
            robotName: settings.name, userID: settings.shellUserID, userName: settings.shellUserName,
            input: options.execute.map { .message($0) } ?? .descriptor(0))
        return Robot(
            name: settings.name, alias: settings.alias, adapters: [shell],
            brain: Brain(store: SQLiteStore(path: try settings.brainFile())), scripts: standardScripts,
            // Whoever is at the keyboard owns the place.
            admins: settings.admins.union([shell.user.id.description]),
            switches: settings.switches, limits: settings.limits, logger: settings.logger)
    }

    /// Runs it until it ends by itself, or SIGTERM or SIGINT asks it to.
    private func run(_ robot: Robot, _ logger: Logger) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let service = ServiceGroupConfiguration.ServiceConfiguration(
            service: RobotService(robot: robot), successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
        try await group.run()
    }
}

private struct RobotService: Service {
    let robot: Robot

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await robot.run()
        } onGracefulShutdown: {
            robot.stop()
        }
    }
}

/// The command line, with Hubot's flags and their meanings.
struct Options: ParsableArguments {
    @Option(name: [.customShort("a", allowingJoined: true), .long], help: "The adapter to chat through: shell.")
    var adapter: String?

    @Option(name: [.customShort("n", allowingJoined: true), .long], help: "What the robot is called: Heybot.")
    var name: String?

    @Option(
        name: [.customShort("l", allowingJoined: true), .long],
        help: "Another name it answers to; / where the flag stands alone.")
    var alias: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Says one message, prints the answers and ends.", valueName: "text"))
    var execute: String?

    @Option(help: ArgumentHelp("The folder for what it remembers: ~/.local/share/heybot.", valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "From where on to log: debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String?

    @Flag(name: .shortAndLong, help: "Print the version.")
    var version = false

    /// The arguments with `-l` and `--alias` given their value where they stand alone, as Hubot allows.
    static func completed(_ arguments: some Collection<String>) -> [String] {
        var completed: [String] = []
        for argument in arguments {
            if isAlias(completed.last), argument.hasPrefix("-") { completed.append("/") }
            completed.append(argument)
        }
        return isAlias(completed.last) ? completed + ["/"] : completed
    }

    private static func isAlias(_ argument: String?) -> Bool {
        argument == "-l" || argument == "--alias"
    }
}
