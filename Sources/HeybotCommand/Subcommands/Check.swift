import ArgumentParser
import FoundationEssentials
import Heybot
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot check`: whether the robot would get where it is to be, found out by going there.
struct Check: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find out whether all is ready to go live; the status is 0 where nothing failed, else 1.",
        discussion: """
            It looks at settings, scripts, data folder, brain and web server, goes to each server, logs in, joins each room, \
            and leaves. Each row tells how that went, with the cure below what failed. It says nothing to anybody, and \
            leaves alone a robot that is live. -t looks only at what can be known without a network.
            """)

    @ParentCommand var root: Command
    @OptionGroup var flags: Options

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let terminal = TerminalFacts(environment)
        let colors = isatty(1) == 1 && terminal.hasColors
        do {
            let parts = try Parts(options, Command.scripts, isServing: !root.disableHTTPD, environment: environment)
            var logging = parts.settings.logging
            // The table tells it; who asks for a level here sees both.
            if options.flags["LOG_LEVEL"] == nil { logging.levels = LogLevels("critical") ?? logging.levels }
            Log(logging, terminal: terminal).bootstrap()
            let table = CheckTable(adapters: parts.settings.adapters.map(\.rawValue), colors: colors)
            try finish(try await Checks(parts: parts, table: table).run())
        } catch SettingsError.wrong(let problems) {
            try finish(table(of: problems.map { .failed($0.reason, cure: $0.cure) }, colors: colors))
        } catch let error as DataFolderError {
            try finish(table(of: [.failed(error, setting: "HEYBOT_DATA")], colors: colors))
        }
    }

    /// What is wrong with the settings: nothing else can be looked at before they are right.
    private func table(of failures: [CheckStep.Outcome], colors: Bool) throws -> CheckTable {
        let others = CheckPart.allCases.map(\.rawValue).dropFirst() + ["adapters"]
        var table = CheckTable(adapters: ["adapters"], colors: colors)
        try table.write(.settings, failures.map { CheckStep("", $0) })
        for name in others { try table.write(name, [CheckStep("", .skipped("the settings come first"))]) }
        return table
    }

    private func finish(_ table: CheckTable) throws {
        try StandardOutput.writeLine(table.summary)
        if table.counts.failed > 0 { throw ExitCode(1) }
    }
}
