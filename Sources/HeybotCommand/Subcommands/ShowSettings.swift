import ArgumentParser
import FoundationEssentials

/// `heybot settings`: every setting, its value, and where that came from.
struct ShowSettings: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show every setting, its value, and where that came from.")

    @ParentCommand var root: Command
    @OptionGroup var options: Options

    @Flag(help: "Print the table of the guide, in Markdown.")
    var markdown = false

    func run() async throws {
        if markdown {
            return try StandardOutput.writeLine(Self.table(Setting.all + Setting.settings(of: Command.scripts)))
        }
        let read = try ReadSettings(options, Command.scripts, environment: ProcessInfo.processInfo.environment)
        try StandardOutput.writeLine(Self.list(read))
    }

    static func list(_ read: ReadSettings) -> String {
        read.table.map { setting in
            let names = (setting.flags + [setting.key].compactMap { $0 }).joined(separator: ", ")
            return """
                \(setting.variable) = \(read.value(of: setting)) (\(read.source(of: setting)))
                    \(setting.meaning.replacing("`", with: "")): \(setting.fallbackText)\(names.isEmpty ? "" : " [\(names)]")
                """
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
