import ArgumentParser
import Logging

/// The options that set settings.
///
/// Those that Hubot has too mean the same.
///
/// A subcommand declares the ones it supports: all, or a group. The parser accepts them before and after its name.
struct Options: ParsableArguments, Sendable {
    @OptionGroup var adapters: AdapterOptions
    @OptionGroup var names: NameOptions
    @OptionGroup var pathsAndLog: PathAndLogOptions

    /// The given values, by the settings' names.
    var flags: [String: String] {
        let all = [
            "ADAPTER": adapters.adapter.isEmpty ? nil : adapters.adapter.joined(separator: ","),
            "NAME": names.name, "ALIAS": names.alias,
            "DATA": pathsAndLog.folders.data, "CONFIG": pathsAndLog.folders.config,
            "LOG_LEVEL": pathsAndLog.logging.logLevel
        ]
        return all.compactMapValues { $0 }
    }

    /// The arguments with the value `/` added to an `-l` or `--alias` without one, which Hubot allows: at the end, or
    /// before another option or one of these subcommands.
    static func completed(_ arguments: some Collection<String>, subcommands: [String] = []) -> [String] {
        var completed: [String] = []
        for argument in arguments {
            let isNext = argument.hasPrefix("-") || subcommands.contains(argument)
            if isAlias(completed.last), isNext, !completed.contains("--") { completed.append("/") }
            completed.append(argument)
        }
        return isAlias(completed.last) ? completed + ["/"] : completed
    }

    private static func isAlias(_ argument: String?) -> Bool {
        argument == "-l" || argument == "--alias"
    }
}

/// Options that set settings.
protocol SettingOptionGroup: ParsableArguments, Sendable {
    /// The names of the settings.
    static var settings: Set<String> { get }
}

extension Options: SettingOptionGroup {
    static let settings = AdapterOptions.settings.union(NameOptions.settings).union(PathAndLogOptions.settings)
}

struct AdapterOptions: SettingOptionGroup {
    static let settings: Set = ["ADAPTER"]

    @Option(
        name: [.customShort("a", allowingJoined: true), .long], parsing: .singleValue,
        help: "An adapter to chat through: \(AdapterName.expected); can be repeated.",
        completion: .list(AdapterName.allCases.map(\.rawValue)))
    var adapter: [String] = []
}

struct NameOptions: SettingOptionGroup {
    static let settings: Set = ["NAME", "ALIAS"]

    @Option(name: [.customShort("n", allowingJoined: true), .long], help: "The robot's name.")
    var name: String?

    @Option(
        name: [.customShort("l", allowingJoined: true), .long],
        help: "Another name that the robot answers to (-l alone means /).")
    var alias: String?
}

/// The options of commands that use the store: paths and log.
struct PathAndLogOptions: SettingOptionGroup {
    static let settings = PathOptions.settings.union(LogOptions.settings)

    @OptionGroup var folders: PathOptions
    @OptionGroup var logging: LogOptions
}

/// The options of commands for which the robot's name doesn't matter.
struct AdapterPathAndLogOptions: SettingOptionGroup {
    static let settings = AdapterOptions.settings.union(PathAndLogOptions.settings)

    @OptionGroup var adapters: AdapterOptions
    @OptionGroup var pathsAndLog: PathAndLogOptions
}

struct NoSettingOptions: SettingOptionGroup {
    static let settings: Set<String> = []
}

struct PathOptions: SettingOptionGroup {
    static let settings: Set = ["DATA", "CONFIG"]

    @Option(help: ArgumentHelp("The data directory.", valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp("The settings file (default: heybot.json).", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?
}

struct LogOptions: SettingOptionGroup {
    static let settings: Set = ["LOG_LEVEL"]

    @Option(
        help: ArgumentHelp(
            "The minimum level to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); "
                + "info,Rules=debug,irc=trace sets other levels for the script Rules and the adapter irc.",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel: String?
}
