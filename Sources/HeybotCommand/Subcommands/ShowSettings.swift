import ArgumentParser
import FoundationEssentials
import HeybotSupport

/// `heybot settings`: the settings, their values, and where each comes from.
struct ShowSettings: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show settings, their values, and where each comes from.",
        discussion: """
            Without a word it shows what is set and the common settings; with a word, all that match.

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
            "Show only these: an adapter or another group, a script, a setting, or a word in name or meaning.",
            valueName: "word"),
        completion: .list(Setting.groups))
    var words: [String] = []

    @Flag(help: "Show only what is set.")
    var set = false

    @Flag(help: "Show all settings, also those that hardly anyone needs.")
    var all = false

    @Flag(help: "Print them as JSON.")
    var json = false

    @Flag(help: "Print the tables of the guide, in Markdown.")
    var markdown = false

    func validate() throws {
        if json, markdown { throw ValidationError("--json and --markdown don't go together") }
        if markdown, set || !words.isEmpty { throw ValidationError("--markdown prints the whole table") }
        if all, set { throw ValidationError("--all and --set don't go together") }
    }

    func run() async throws {
        if markdown {
            return try StandardOutput.writeLine(Self.tables(Setting.all + Setting.settings(of: Command.scripts)))
        }
        let read = try ReadSettings(options, Command.scripts, environment: ProcessInfo.processInfo.environment)
        let isShort = words.isEmpty && !all && !set && !json
        let chosen = Self.choose(read, words: words, onlySet: set, onlyCommon: isShort)
        if json { return try StandardOutput.writeLine(Self.json(chosen, read)) }
        if chosen.isEmpty, !words.isEmpty {
            throw Failure("no setting\(set ? " that is set" : "") has \(words.joined(separator: " or ")) in it", 1)
        }
        if chosen.isEmpty { return try StandardOutput.writeLine("Nothing is set: every setting has its default.") }
        let isOne = chosen.count == 1 && words.count == 1
        try StandardOutput.writeLine(isOne ? Self.whole(chosen[0], read) : Self.list(chosen, read))
        if isShort {
            let more = read.table.count - chosen.count
            try StandardOutput.writeLine("\n\(more) more: heybot settings --all, or a group, such as heybot settings irc")
        }
        if !read.leftOver.isEmpty, words.isEmpty {
            try StandardOutput.writeLine(
                "Not taken, since only a Hubot's scripts know them: \(read.leftOver.joined(separator: ", "))")
        }
    }

    /// The settings that one of the words stands for; all if there is no word.
    ///
    /// A word is a setting's name or place in the file, else a group or a script, else part of a name or meaning.
    static func choose(
        _ read: ReadSettings, words: [String] = [], onlySet: Bool = false, onlyCommon: Bool = false
    ) -> [Setting] {
        let table = read.table.filter { setting in
            read.isSet(setting.name) || !onlySet && !(onlyCommon && setting.isAdvanced)
        }
        if words.isEmpty { return table }
        let chosen = words.map { word in
            let word = word.lowercased()
            let tests: [(Setting) -> Bool] = [
                { ($0.variables + [$0.name, $0.key ?? ""]).contains { $0.lowercased() == word } },
                { ([$0.group] + $0.scripts).contains { $0.lowercased() == word } },
                { "\($0.variable) \($0.key ?? "") \($0.meaning)".lowercased().contains(word) }
            ]
            // What is meant doesn't depend on what is set.
            let test = tests.first { read.table.contains(where: $0) }
            return Set(table.filter { test?($0) ?? false }.map(\.name))
        }
        return table.filter { setting in chosen.contains { $0.contains(setting.name) } }
    }

    /// A line for each, under its group's heading.
    static func list(_ settings: [Setting], _ read: ReadSettings) -> String {
        Setting.groups.compactMap { group -> String? in
            let lines = settings.filter { $0.group == group }.map { "  \(line($0, read)): \(plain($0.meaning))" }
            return lines.isEmpty ? nil : "\(group)\n" + lines.joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }

    /// All there is to know of one.
    static func whole(_ setting: Setting, _ read: ReadSettings) -> String {
        let rows = [
            ("expected", setting.expected), ("if not set", plain(setting.fallbackText)),
            ("flags", setting.flags.joined(separator: ", ")),
            ("environment", setting.variables.joined(separator: ", ")),
            ("heybot.json", setting.key ?? ""), ("scripts", setting.scripts.joined(separator: ", "))
        ]
        let lines = rows.filter { !$0.1.isEmpty }.map { name, text in
            "  \(name)\(String(repeating: " ", count: 11 - name.count))  \(text)"
        }
        return ([line(setting, read), "  \(plain(setting.meaning))"] + lines).joined(separator: "\n")
    }

    private static func line(_ setting: Setting, _ read: ReadSettings) -> String {
        "\(setting.variable) = \(plain(read.value(of: setting))) (\(read.source(of: setting)))"
    }

    /// In one line, without Markdown.
    private static func plain(_ text: String) -> String { SafeText.line(text.replacing("`", with: "")) }

    static func json(_ settings: [Setting], _ read: ReadSettings) throws -> String {
        struct Row: Encodable {
            let name, group, meaning, expected, fallback, source: String
            let value, key: String?
            let flags, environment, scripts: [String]
            let isSet, isSecret: Bool
        }
        let rows = settings.map { setting in
            Row(
                name: setting.variable, group: setting.group, meaning: plain(setting.meaning),
                expected: setting.expected, fallback: plain(setting.fallbackText),
                source: "\(read.source(of: setting))",
                value: setting.show(read.settings).map { _ in plain(read.value(of: setting)) }, key: setting.key,
                flags: setting.flags, environment: setting.variables, scripts: setting.scripts,
                isSet: read.isSet(setting.name), isSecret: setting.isSecret)
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
            let fallback = setting.fallback ?? setting.show(Settings()).map { "`\($0)`" } ?? ""
            return "| `\(setting.variable)` | \(names) | \(setting.meaning) | \(fallback) |"
        }
        return (["| environment | heybot.json, option | meaning | default |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}
