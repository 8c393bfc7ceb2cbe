import ArgumentParser
import FoundationEssentials

/// `heybot settings`: every setting, its value, and where that came from.
struct ShowSettings: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show every setting, its value, and where that came from.")

    @ParentCommand var root: Command
    @OptionGroup var options: Options

    @Argument(help: "Show only what has one of these words in its name or meaning.") var words: [String] = []

    @Flag(help: "Show only what is set.")
    var set = false

    @Flag(help: "Print the table of the guide, in Markdown.")
    var markdown = false

    func run() async throws {
        if markdown {
            return try StandardOutput.writeLine(Self.table(Setting.all + Setting.settings(of: Command.scripts)))
        }
        let read = try ReadSettings(options, Command.scripts, environment: ProcessInfo.processInfo.environment)
        let list = Self.list(read, words: words, onlySet: set)
        if !list.isEmpty { try StandardOutput.writeLine(list) }
        if list.isEmpty, !words.isEmpty {
            throw Failure("no setting\(set ? " that is set" : "") has \(words.joined(separator: " or ")) in it", 1)
        }
        if !read.leftOver.isEmpty, words.isEmpty {
            try StandardOutput.writeLine(
                "Not taken, since only a Hubot's scripts know them: \(read.leftOver.joined(separator: ", "))")
        }
    }

    static func list(_ read: ReadSettings, words: [String] = [], onlySet: Bool = false) -> String {
        read.table.filter { setting in
            let text = "\(setting.variable) \(setting.key ?? "") \(setting.meaning)".lowercased()
            return (!onlySet || read.isSet(setting.name))
                && (words.isEmpty || words.contains { text.contains($0.lowercased()) })
        }
        .map { setting in
            let names = (setting.flags + [setting.key].compactMap { $0 }).joined(separator: ", ")
            // It stands there already if nothing is set.
            let fallback = read.isSet(setting.name) ? "; \(setting.fallbackText) if not set" : ""
            return """
                \(setting.variable) = \(read.value(of: setting)) (\(read.source(of: setting)))
                    \(setting.meaning)\(fallback)\(names.isEmpty ? "" : " [\(names)]")
                """
                .replacing("`", with: "")
        }
        .joined(separator: "\n")
    }

    static func table(_ table: [Setting]) -> String {
        let rows = table.map { setting in
            let names = ([setting.key].compactMap { $0 } + setting.flags).map { "`\($0)`" }.joined(separator: " ")
            let fallback = setting.fallback ?? setting.show(Settings()).map { "`\($0)`" } ?? "none"
            return "| `\(setting.variable)` | \(names) | \(setting.meaning) | \(fallback) |"
        }
        return (["| environment | heybot.json, flag | meaning | if not set |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}
