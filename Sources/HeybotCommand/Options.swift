import ArgumentParser
import Logging

/// The flags of the command line, with Hubot's meanings if Hubot has them.
///
/// A subcommand declares those that do something there: all of them, or a group. The parser fills them wherever they stand.
struct Options: ParsableArguments, Sendable {
    @OptionGroup var adapters: AdapterOptions
    @OptionGroup var names: NameOptions
    @OptionGroup var store: StoreOptions

    /// What the flags say, by the settings' names.
    var flags: [String: String] {
        let all = [
            "ADAPTER": adapters.adapter.isEmpty ? nil : adapters.adapter.joined(separator: ","),
            "NAME": names.name, "ALIAS": names.alias,
            "DATA": store.folders.data, "CONFIG": store.folders.config, "LOG_LEVEL": store.logging.logLevel
        ]
        return all.compactMapValues { $0 }
    }

    /// The arguments with `-l` and `--alias` given their value if they stand alone, as Hubot allows: at the end, or
    /// before a flag or one of these subcommands.
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

/// Flags that set settings.
protocol SettingOptions: ParsableArguments, Sendable {
    /// The names of the settings.
    static var settings: Set<String> { get }
}

extension Options: SettingOptions {
    static let settings = AdapterOptions.settings.union(NameOptions.settings).union(StoreOptions.settings)
}

struct AdapterOptions: SettingOptions {
    static let settings: Set = ["ADAPTER"]

    @Option(
        name: [.customShort("a", allowingJoined: true), .long], parsing: .singleValue,
        help: "An adapter to chat through: \(AdapterName.expected); may be given several times.",
        completion: .list(AdapterName.allCases.map(\.rawValue)))
    var adapter: [String] = []
}

struct NameOptions: SettingOptions {
    static let settings: Set = ["NAME", "ALIAS"]

    @Option(name: [.customShort("n", allowingJoined: true), .long], help: "What the robot is called.")
    var name: String?

    @Option(
        name: [.customShort("l", allowingJoined: true), .long],
        help: "Another name it answers to; / where the flag stands alone.")
    var alias: String?
}

/// What the use of a store takes.
struct StoreOptions: SettingOptions {
    static let settings = FolderOptions.settings.union(LogOptions.settings)

    @OptionGroup var folders: FolderOptions
    @OptionGroup var logging: LogOptions
}

/// What a robot without a name takes.
struct NamelessOptions: SettingOptions {
    static let settings = AdapterOptions.settings.union(StoreOptions.settings)

    @OptionGroup var adapters: AdapterOptions
    @OptionGroup var store: StoreOptions
}

struct NoOptions: SettingOptions {
    static let settings: Set<String> = []
}

struct FolderOptions: SettingOptions {
    static let settings: Set = ["DATA", "CONFIG"]

    @Option(help: ArgumentHelp("The folder for what it remembers.", valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp("The settings file, if not heybot.json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?
}

struct LogOptions: SettingOptions {
    static let settings: Set = ["LOG_LEVEL"]

    @Option(
        help: ArgumentHelp(
            "How much to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); for one script or part of "
                + "the robot, info,Rules=debug.",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel: String?
}
