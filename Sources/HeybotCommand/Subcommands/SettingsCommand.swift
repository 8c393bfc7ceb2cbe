import ArgumentParser
import FoundationEssentials
import HeybotSupport

/// `heybot settings`: the settings, their values, and where each comes from.
struct SettingsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show settings, their values, and where each comes from.",
        discussion: """
            Without arguments, the command shows the common settings and those that are set; with words, all settings that match.

            heybot settings irc
            heybot settings Weather
            heybot settings HEYBOT_IRC_NICK
            heybot settings --set
            heybot settings --all
            """)

    @ParentCommand var root: Command
    @OptionGroup var flags: Options

    @Argument(
        help: ArgumentHelp(
            "Show only matching settings: name a group (such as irc), a script, a setting, or any word in a setting's name or meaning.",
            valueName: "word"),
        completion: .list(Setting.groups))
    var words: [String] = []

    @Flag(help: "Show only settings that are set.")
    var set = false

    @Flag(help: "Show all settings, including advanced ones.")
    var all = false

    @Flag(help: "Print the settings as JSON.")
    var json = false

    @Flag(help: "Print the tables of the guide, in Markdown.")
    var markdown = false

    func validate() throws {
        if json, markdown { throw ValidationError("--json and --markdown can't be combined") }
        if markdown, set || !words.isEmpty { throw ValidationError("--markdown always prints all settings") }
        if all, set { throw ValidationError("--all and --set can't be combined") }
    }

    func run() async throws {
        if markdown {
            return try StandardOutput.writeLine(Self.tables(Setting.all + Setting.settings(of: Command.scripts)))
        }
        let resolved = try ResolvedSettings(options, Command.scripts, environment: ProcessInfo.processInfo.environment)
        let isShort = words.isEmpty && !all && !set && !json
        let chosen = Self.choose(resolved, words: words, onlySet: set, onlyCommon: isShort)
        if json { return try StandardOutput.writeLine(Self.json(chosen, resolved)) }
        if chosen.isEmpty, !words.isEmpty {
            throw ExitError("no setting\(set ? " that is set" : "") matches \(words.joined(separator: " or "))", 1)
        }
        if chosen.isEmpty { return try StandardOutput.writeLine("No settings are set; all have their defaults.") }
        let isOne = chosen.count == 1 && words.count == 1
        try StandardOutput.writeLine(isOne ? Self.whole(chosen[0], resolved) : Self.list(chosen, resolved))
        if isShort {
            let more = resolved.table.count - chosen.count
            try StandardOutput.writeLine(
                "\n\(more) more settings: run heybot settings --all, or name a group, as in heybot settings irc")
        }
        if !resolved.unknownHubotVariables.isEmpty, words.isEmpty {
            try StandardOutput.writeLine(
                "Ignored, because they belong to Hubot's scripts: \(resolved.unknownHubotVariables.joined(separator: ", "))"
            )
        }
    }

    /// Returns the settings that match one of the words, or all if there are no words.
    ///
    /// A word is a setting's name or key, otherwise a group or a script, otherwise a part of a name or meaning.
    static func choose(
        _ resolved: ResolvedSettings, words: [String] = [], onlySet: Bool = false, onlyCommon: Bool = false
    ) -> [Setting] {
        let table = resolved.table.filter { setting in
            resolved.isSet(setting.name) || !onlySet && !(onlyCommon && setting.isAdvanced)
        }
        if words.isEmpty { return table }
        let chosen = words.map { word in
            let word = word.lowercased()
            let tests: [(Setting) -> Bool] = [
                { $0.allNames.contains { $0.lowercased() == word } },
                { ([$0.group] + $0.scripts).contains { $0.lowercased() == word } },
                { "\($0.variable) \($0.key ?? "") \($0.meaning)".lowercased().contains(word) }
            ]
            // The interpretation of a word must not depend on which settings are set.
            let test = tests.first { resolved.table.contains(where: $0) }
            return Set(table.filter { test?($0) ?? false }.map(\.name))
        }
        return table.filter { setting in chosen.contains { $0.contains(setting.name) } }
    }

    /// A line for each setting, under its group's heading.
    static func list(_ settings: [Setting], _ resolved: ResolvedSettings) -> String {
        Setting.groups.compactMap { group -> String? in
            let lines = settings.filter { $0.group == group }.map { "  \(line($0, resolved)): \(plain($0.meaning))" }
            return lines.isEmpty ? nil : "\(group)\n" + lines.joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }

    /// All details of one setting.
    static func whole(_ setting: Setting, _ resolved: ResolvedSettings) -> String {
        let rows = [
            ("expected", setting.expected), ("default", plain(setting.fallbackText)),
            ("options", setting.flags.joined(separator: ", ")),
            ("environment", setting.variables.joined(separator: ", ")),
            ("heybot.json", setting.key ?? ""), ("scripts", setting.scripts.joined(separator: ", "))
        ]
        let lines = rows.filter { !$0.1.isEmpty }.map { name, text in
            "  \(name)\(String(repeating: " ", count: 11 - name.count))  \(text)"
        }
        return ([line(setting, resolved), "  \(plain(setting.meaning))"] + lines).joined(separator: "\n")
    }

    private static func line(_ setting: Setting, _ resolved: ResolvedSettings) -> String {
        "\(setting.variable) = \(plain(resolved.value(of: setting))) (\(resolved.source(of: setting)))"
    }

    /// The text in one line, without Markdown.
    private static func plain(_ text: String) -> String { SafeText.line(text.replacing("`", with: "")) }

    static func json(_ settings: [Setting], _ resolved: ResolvedSettings) throws -> String {
        struct SettingJSON: Encodable {
            let name, group, meaning, expected, fallback, source: String
            let value, key: String?
            let flags, environment, scripts: [String]
            let isSet, isSecret: Bool
        }
        let rows = settings.map { setting in
            SettingJSON(
                name: setting.variable, group: setting.group, meaning: plain(setting.meaning),
                expected: setting.expected, fallback: plain(setting.fallbackText),
                source: "\(resolved.source(of: setting))",
                value: setting.show(resolved.settings).map { _ in plain(resolved.value(of: setting)) },
                key: setting.key,
                flags: setting.flags, environment: setting.variables, scripts: setting.scripts,
                isSet: resolved.isSet(setting.name), isSecret: setting.isSecret)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    /// A table for each group, and one for the advanced settings of all groups.
    static func tables(_ settings: [Setting]) -> String {
        let headings = [
            "robot": "The robot", "shell": "The terminal", "irc": "IRC", "xmpp": "XMPP", "gtalk": "Google Talk",
            "campfire": "Campfire", "web": "The web", "brain": "The brain", "scripts": "Scripts"
        ]
        let common = Setting.groups.map { group in
            (headings[group] ?? group, settings.filter { $0.group == group && !$0.isAdvanced })
        }
        let advanced = Setting.groups.flatMap { group in settings.filter { $0.group == group && $0.isAdvanced } }
        return (common + [("Advanced settings", advanced)]).filter { !$0.1.isEmpty }
            .map { "### \($0)\n\n\(table($1))" }.joined(separator: "\n\n")
    }

    private static func table(_ settings: [Setting]) -> String {
        let rows = settings.map { setting in
            let names = ([setting.key].compactMap { $0 } + setting.flags).map { "`\($0)`" }.joined(separator: " ")
            let fallback = setting.fallback ?? setting.show(SettingValues()).map { "`\($0)`" } ?? ""
            return "| `\(setting.variable)` | \(names) | \(setting.meaning) | \(fallback) |"
        }
        return (["| environment | heybot.json, option | meaning | default |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}
