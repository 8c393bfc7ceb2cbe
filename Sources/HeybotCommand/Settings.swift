import FoundationEssentials
import Heybot
import Logging

/// Everything that can be set, read once at the door.
struct Settings: Sendable {
    var name = "Heybot"
    var alias: String?
    var dataFolder = ""
    var logLevel = Logger.Level.info
    var admins: Set<String> = []
    var switches = ScriptSwitches()
    var limits = Robot.Limits()
    var shellUserID = "1"
    var shellUserName = "Shell"

    /// A flag beats `HEYBOT_…`, which beats `HUBOT_…`, which beats the default.
    ///
    /// - Throws: ``SettingsError`` with everything that is wrong, at once.
    init(_ options: Options, environment: [String: String]) throws {
        var reader = SettingsReader(environment)
        name = reader.text("NAME", flag: options.name) ?? name
        alias = reader.text("ALIAS", flag: options.alias)
        logLevel = reader.value("LOG_LEVEL", flag: options.logLevel, "a level such as info", Self.level) ?? logLevel
        admins = Set(reader.list("AUTH_ADMIN"))
        switches =
            reader.value("SCRIPTS_OFF", "names of scripts, such as Rules or Rules@#room", Self.switches) ?? switches
        limits.concurrency = reader.value("CONCURRENCY", "a number from 1", Self.count) ?? limits.concurrency
        limits.threads = reader.value("THREADS", "a number from 1", Self.count) ?? limits.threads
        limits.deadline = reader.value("DEADLINE", "a number of seconds", Self.seconds) ?? limits.deadline
        shellUserID = reader.text("SHELL_USER_ID") ?? shellUserID
        shellUserName = reader.text("SHELL_USER_NAME") ?? shellUserName
        _ = reader.value("ADAPTER", flag: options.adapter, "shell, the only adapter so far") {
            $0.lowercased() == "shell" ? $0 : nil
        }
        if let folder = reader.text("DATA", flag: options.data) ?? Self.defaultFolder(environment) {
            dataFolder = Self.expanded(folder, environment)
        } else {
            reader.problems.append("there is no home to keep the data in: set HEYBOT_DATA, or give --data a folder")
        }
        try reader.finish()
    }

    var logger: Logger {
        var logger = Logger(label: "heybot")
        logger.logLevel = logLevel
        return logger
    }

    /// The brain's file, its folder made where it isn't there.
    func brainFile() throws -> String {
        do {
            try FileManager.default.createDirectory(atPath: dataFolder, withIntermediateDirectories: true)
        } catch {
            var isFolder = false
            let isThere = FileManager.default.fileExists(atPath: dataFolder, isDirectory: &isFolder)
            throw isThere && !isFolder ? SettingsError.fileForFolder(dataFolder) : .noFolder(dataFolder)
        }
        return dataFolder + "/brain.sqlite"
    }

    private static func defaultFolder(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/heybot" }
        if let home = environment["HOME"], !home.isEmpty { return home + "/.local/share/heybot" }
        return nil
    }

    /// What a shell would have done, had it not been in quotes.
    private static func expanded(_ folder: String, _ environment: [String: String]) -> String {
        guard let home = environment["HOME"], folder == "~" || folder.hasPrefix("~/") else { return folder }
        return home + folder.dropFirst()
    }

    // MARK: Values

    private static func level(_ text: String) -> Logger.Level? {
        switch text.lowercased() {
        // As Hubot's two loggers called them.
        case "warn": .warning
        case "alert", "emergency", "fatal": .critical
        case let text: Logger.Level(rawValue: text)
        }
    }

    private static func count(_ text: String) -> Int? {
        Int(text).flatMap { $0 >= 1 && $0 <= 100_000 ? $0 : nil }
    }

    private static func seconds(_ text: String) -> Duration? {
        Double(text).flatMap { $0 > 0 && $0 <= 86_400 ? .seconds($0) : nil }
    }

    private static func switches(_ text: String) -> ScriptSwitches? {
        var switches = ScriptSwitches()
        for part in SettingsReader.list(text) {
            let halves = part.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard !halves[0].isEmpty else { return nil }
            if halves.count == 1 {
                switches.off.insert(halves[0])
            } else if halves[1].isEmpty {
                return nil
            } else {
                switches.offInRoom[halves[1], default: []].insert(halves[0])
            }
        }
        return switches
    }
}

/// What is wrong with the settings, a line for each, naming the setting and what was expected.
enum SettingsError: Error, CustomStringConvertible {
    case wrong([String])
    case noFolder(String)
    case fileForFolder(String)

    var description: String {
        switch self {
        case .wrong(let problems): problems.joined(separator: "\n")
        case .noFolder(let folder):
            "the data folder \(folder) can't be made: check its parent's permissions, or give --data another"
        case .fileForFolder(let path):
            "\(path) is a file, where the data folder should be: give --data another"
        }
    }
}
