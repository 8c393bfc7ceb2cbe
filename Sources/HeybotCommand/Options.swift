import ArgumentParser
import Logging

/// The flags of the command line, with Hubot's meanings where Hubot has them.
struct Options: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("a", allowingJoined: true), .long], parsing: .singleValue,
        help: "An adapter to chat through: \(AdapterName.expected); may be given several times.",
        completion: .list(AdapterName.allCases.map(\.rawValue)))
    var adapter: [String] = []

    @Option(name: [.customShort("n", allowingJoined: true), .long], help: "What the robot is called.")
    var name: String?

    @Option(
        name: [.customShort("l", allowingJoined: true), .long],
        help: "Another name it answers to; / where the flag stands alone.")
    var alias: String?

    @Option(help: ArgumentHelp("The folder for what it remembers.", valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp("The settings file, if not heybot.json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "How much to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); for one script or part of "
                + "the robot, info,Rules=debug.",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)))
    var logLevel: String?

    /// What the flags say, by the settings' names.
    var flags: [String: String] {
        let all = [
            "ADAPTER": adapter.isEmpty ? nil : adapter.joined(separator: ","), "NAME": name, "ALIAS": alias,
            "DATA": data, "CONFIG": config, "LOG_LEVEL": logLevel
        ]
        return all.compactMapValues { $0 }
    }

    /// The arguments with `-l` and `--alias` given their value where they stand alone, as Hubot allows: at the end, or
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
