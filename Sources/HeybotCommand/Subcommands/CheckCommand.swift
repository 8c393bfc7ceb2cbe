import ArgumentParser
import FoundationEssentials
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot check`: a preflight check that connects to each network, logs in, and joins and leaves each room.
struct CheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check everything before going live; exits with 1 if anything fails.",
        discussion: """
            The command checks settings, scripts, data directory, brain and web server, then connects to each server, logs in, joins \
            each room and leaves it. Each row is a result, with a fix below each failure. The check sends no messages and doesn't \
            disturb a running robot. -t checks only what needs no network.
            """)

    @ParentCommand var root: Command
    @OptionGroup var flags: Options
    var loadsScripts: Bool { true }
    var mayServe: Bool { true }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let terminal = TerminalCapabilities(environment)
        let colors = isatty(1) == 1 && terminal.hasColors
        do {
            var assembly = try RobotAssembly(
                options, Command.scripts, isServing: !root.disableHTTPD, environment: environment)
            var logging = assembly.settings.logging
            // The table has the results already. An explicit log level shows log lines too.
            if options.flags["LOG_LEVEL"] == nil { logging.levels = LogLevels("critical") ?? logging.levels }
            Log(logging, terminal: terminal).bootstrap()
            try await assembly.loadScripts(at: root.require)
            let table = CheckTable(adapters: assembly.settings.networks.map(\.name), colors: colors)
            try finish(try await PreflightChecks(assembly: assembly, table: table).run())
        } catch InvalidSettingsError.wrong(let problems) {
            try finish(table(of: problems.map { .failed($0.reason, fix: $0.fix) }, colors: colors))
        } catch let error as DataFolderError {
            try finish(table(of: [.failed(error, setting: "HEYBOT_DATA")], colors: colors))
        }
    }

    /// A table with the settings' problems.
    ///
    /// The other checks need valid settings, so they are skipped.
    private func table(of failures: [PreflightCheckResult.Outcome], colors: Bool) throws -> CheckTable {
        let others = CheckPart.allCases.map(\.rawValue).dropFirst() + ["adapters"]
        var table = CheckTable(adapters: ["adapters"], colors: colors)
        try table.write(.settings, failures.map { PreflightCheckResult("", $0) })
        for name in others {
            try table.write(name, [PreflightCheckResult("", .skipped("the settings must be valid first"))])
        }
        return table
    }

    private func finish(_ table: CheckTable) throws {
        try StandardOutput.writeLine(table.summary)
        if table.counts.failed > 0 { throw ExitCode(1) }
    }
}
